/*
 * Functions that this project does not use: each has a bounded, re-entrant or
 * checked counterpart. Included by the Makefile into every translation unit
 * (-include), after the system headers that declare them.
 */
#ifndef COLLECTORS_BANNED_H
#define COLLECTORS_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(func) function_##func##_is_banned_in_this_project

#undef strcpy
#define strcpy(a, b) BANNED(strcpy)
#undef strcat
#define strcat(a, b) BANNED(strcat)
#undef strncpy
#define strncpy(a, b, c) BANNED(strncpy)
#undef strncat
#define strncat(a, b, c) BANNED(strncat)
#undef strtok
#define strtok(a, b) BANNED(strtok)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef atoi
#define atoi(a) BANNED(atoi)
#undef atol
#define atol(a) BANNED(atol)
#undef atof
#define atof(a) BANNED(atof)
#undef gets
#define gets(a) BANNED(gets)
#undef localtime
#define localtime(a) BANNED(localtime)
#undef gmtime
#define gmtime(a) BANNED(gmtime)
#undef ctime
#define ctime(a) BANNED(ctime)
#undef system
#define system(a) BANNED(system)
#undef popen
#define popen(a, b) BANNED(popen)
#undef alloca
#define alloca(a) BANNED(alloca)

#endif
