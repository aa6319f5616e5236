#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "collectors/compiler.h"
#include "tui/input.h"

/* A lone Esc is told from a key's sequence by this pause; long enough for SSH in tmux. */
#define ESC_DELAY_MS 25

/*
 * What signal handlers need. One process has one terminal, so this is the one
 * place where module state is not in a struct that somebody owns.
 */
static struct {
	volatile sig_atomic_t open;
	volatile sig_atomic_t resized, continued, suspend, end;
	int pipe[2];
	struct termios before;
	char undo[256]; /* bytes that put the terminal back */
	size_t undo_len;
	SCREEN *screen;
	enum theme_depth depth;
	struct sigaction old_tstp;
} term;

/* For handlers: async-signal-safe calls only. */
static void restore_now(void)
{
	if (!term.open)
		return;
	for (size_t at = 0; at < term.undo_len;) {
		ssize_t n = write(STDOUT_FILENO, term.undo + at, term.undo_len - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
}

static void wake(void)
{
	int saved = errno;
	ssize_t n = write(term.pipe[1], "s", 1);

	(void)n; /* a full pipe is awake already */
	errno = saved;
}

static void on_event(int sig)
{
	if (sig == SIGWINCH)
		term.resized = 1;
	else if (sig == SIGCONT)
		term.continued = 1;
	else if (sig == SIGTSTP)
		term.suspend = 1;
	wake();
}

/* The first one asks the loop to end; a second one does not wait for it. */
static void on_end(int sig)
{
	if (term.end) {
		restore_now();
		_exit(128 + sig);
	}
	term.end = sig;
	wake();
}

/* SA_RESETHAND: returning from here and raising again ends the process as the signal says. */
static void on_crash(int sig)
{
	restore_now();
	raise(sig);
}

static void catch_signal(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void catch_signals(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	static char stack[32768];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};

	/* A stack that overflowed cannot run its own handler. */
	int onstack = sigaltstack(&ss, NULL) == 0 ? SA_ONSTACK : 0;

	catch_signal(SIGWINCH, on_event, SA_RESTART);
	catch_signal(SIGCONT, on_event, SA_RESTART);
	catch_signal(SIGTSTP, on_event, SA_RESTART);
	catch_signal(SIGTERM, on_end, SA_RESTART);
	catch_signal(SIGINT, on_end, SA_RESTART);
	catch_signal(SIGHUP, on_end, SA_RESTART);
	catch_signal(SIGPIPE, SIG_IGN, 0);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		catch_signal(crashes[i], on_crash, (int)SA_RESETHAND | (int)SA_NODEFER | onstack);
}

static int collect_undo(int c)
{
	if (term.undo_len < sizeof(term.undo))
		term.undo[term.undo_len++] = (char)c;
	return c;
}

/* What was shown before comes back by itself; elsewhere we wipe what is ours. */
static bool has_main_screen(void)
{
	const char *rmcup = tigetstr("rmcup");

	return rmcup && rmcup != (char *)-1 && rmcup[0];
}

static void wipe(void)
{
	if (has_main_screen())
		return;
	erase();
	refresh();
}

/* Keypad off, attributes off, colours off, cursor on, main screen. */
static void prepare_undo(void)
{
	static const char *const caps[] = {"rmkx", "sgr0", "op", "cnorm", "rmcup"};

	term.undo_len = 0;
	for (size_t i = 0; i < ARRAY_LEN(caps); i++) {
		const char *s = tigetstr(caps[i]);

		if (s && s != (char *)-1)
			tputs(s, 1, collect_undo);
	}
	if (!has_main_screen()) {
		const char *ed = tigetstr("ed");

		collect_undo('\r');
		if (ed && ed != (char *)-1)
			tputs(ed, 1, collect_undo);
	}
}

static bool no_color(void)
{
	const char *v = getenv("NO_COLOR");

	return v && v[0];
}

static enum err_code choose_depth(const char *colour, struct err *e)
{
	int has = tigetnum("colors");

	if (!colour || strcmp(colour, "auto") == 0)
		term.depth = no_color() || has < 8 ? THEME_NONE : has >= 256 ? THEME_256 : THEME_16;
	else if (strcmp(colour, "256") == 0)
		term.depth = has >= 256 ? THEME_256 : has >= 8 ? THEME_16 : THEME_NONE;
	else if (strcmp(colour, "16") == 0)
		term.depth = has >= 8 ? THEME_16 : THEME_NONE;
	else if (strcmp(colour, "none") == 0)
		term.depth = THEME_NONE;
	else
		return err_set(
			e, ERR_USAGE, "colour %s: not known (auto, 256, 16 or none)", colour);
	return ERR_OK;
}

static enum err_code check_terminal(struct err *e)
{
	const char *name = getenv("TERM");
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE,
			"interface: input and output must be a terminal (use: hyperpod-perf "
			"snapshot)");
	if (!name || !name[0] || setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return err_set(e, ERR_USAGE,
			"terminal %s: not described on this machine (set TERM, for example "
			"TERM=xterm-256color, or use: hyperpod-perf snapshot)",
			name && name[0] ? name : "(TERM is not set)");
	const char *cup = tigetstr("cup");

	if (!cup || cup == (char *)-1)
		return err_set(e, ERR_USAGE,
			"terminal %s: cannot move its cursor (set TERM to what you really use, or "
			"use: hyperpod-perf snapshot)",
			name);
	return ERR_OK;
}

static enum err_code open_pipe(struct err *e)
{
	if (pipe(term.pipe) != 0)
		return err_set(e, ERR_IO, "signal pipe: %s", err_errno(errno));
	for (int i = 0; i < 2; i++) {
		fcntl(term.pipe[i], F_SETFL, O_NONBLOCK);
		fcntl(term.pipe[i], F_SETFD, FD_CLOEXEC);
	}
	return ERR_OK;
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	set_escdelay(ESC_DELAY_MS);
	if (term.depth != THEME_NONE) {
		start_color();
		use_default_colors();
	}
}

enum err_code term_open(const char *colour, struct err *e)
{
	enum err_code c = check_terminal(e);

	if (c == ERR_OK)
		c = choose_depth(colour, e);
	if (c == ERR_OK)
		c = open_pipe(e);
	if (c != ERR_OK)
		return c;
	tcgetattr(STDIN_FILENO, &term.before);
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen) {
		close(term.pipe[0]);
		close(term.pipe[1]);
		return err_set(e, ERR_USAGE, "terminal %s: curses cannot use it", getenv("TERM"));
	}
	set_term(term.screen);
	set_modes();
	prepare_undo();
	term.resized = term.continued = term.suspend = term.end = 0;
	term.open = 1;
	catch_signals(); /* after newterm, which sets handlers of its own */
	return ERR_OK;
}

void term_close(void)
{
	static const int sigs[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGTERM, SIGINT, SIGHUP, SIGSEGV,
		SIGBUS, SIGABRT, SIGFPE, SIGILL};

	if (!term.open)
		return;
	wipe();
	endwin();
	term.open = 0;
	for (size_t i = 0; i < ARRAY_LEN(sigs); i++)
		catch_signal(sigs[i], SIG_DFL, 0);
	delscreen(term.screen);
	term.screen = NULL;
	close(term.pipe[0]);
	close(term.pipe[1]);
}

enum theme_depth term_depth(void)
{
	return term.depth;
}

bool term_utf8(void)
{
	const char *set = nl_langinfo(CODESET);

	return set && (strcmp(set, "UTF-8") == 0 || strcmp(set, "utf8") == 0);
}

void term_size(int *w, int *h)
{
	*w = COLS;
	*h = LINES;
}

int term_signal_fd(void)
{
	return term.pipe[0];
}

int term_key_fd(void)
{
	return STDIN_FILENO;
}

static void take_size(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 && ws.ws_col > 0)
		resizeterm(ws.ws_row, ws.ws_col);
}

enum term_event term_event(void)
{
	char bytes[64];

	while (read(term.pipe[0], bytes, sizeof(bytes)) > 0)
		;
	if (term.end)
		return TERM_END;
	if (term.suspend) {
		term.suspend = 0;
		return TERM_SUSPEND;
	}
	if (term.continued) {
		term.continued = 0;
		take_size();
		return TERM_REDRAW;
	}
	if (term.resized) {
		term.resized = 0;
		take_size();
		return TERM_RESIZED;
	}
	return TERM_NOTHING;
}

int term_end_signal(void)
{
	return term.end;
}

void term_suspend(void)
{
	def_prog_mode();
	wipe();
	endwin();
	catch_signal(SIGTSTP, SIG_DFL, 0);
	kill(getpid(), SIGTSTP);
	/* Continued. */
	catch_signal(SIGTSTP, on_event, SA_RESTART);
	reset_prog_mode();
	curs_set(0);
	take_size();
	term.continued = 1;
	wake();
}

/* Curses' number of a function key to ours. */
static uint32_t translate(wint_t c)
{
	static const struct {
		int curses;
		uint32_t key;
	} keys[] = {
		{KEY_UP, INPUT_UP},
		{KEY_DOWN, INPUT_DOWN},
		{KEY_LEFT, INPUT_LEFT},
		{KEY_RIGHT, INPUT_RIGHT},
		{KEY_PPAGE, INPUT_PAGE_UP},
		{KEY_NPAGE, INPUT_PAGE_DOWN},
		{KEY_HOME, INPUT_HOME},
		{KEY_END, INPUT_END},
		{KEY_BACKSPACE, INPUT_BACKSPACE},
		{KEY_DC, INPUT_DELETE},
		{KEY_BTAB, INPUT_BACKTAB},
		{KEY_ENTER, INPUT_ENTER},
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if ((wint_t)keys[i].curses == c)
			return keys[i].key;
	if (c >= KEY_F(1) && c <= KEY_F(12))
		return INPUT_F1 + (uint32_t)(c - KEY_F(1));
	return INPUT_NONE;
}

bool term_key(uint32_t *key)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return false;
	if (kind == KEY_CODE_YES)
		*key = translate(c);
	else if (c == L'\n' || c == L'\r')
		*key = INPUT_ENTER;
	else if (c == 0x7f || c == L'\b')
		*key = INPUT_BACKSPACE;
	else
		*key = (uint32_t)c;
	return true;
}

void term_write(const char *bytes, size_t len)
{
	fflush(stdout);
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}
