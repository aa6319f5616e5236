#include "tests/lib/sshd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *sshd_program(void)
{
	static const char *const paths[] = {
		"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd", "/usr/bin/sshd"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], X_OK) == 0)
			return paths[i];
	return NULL;
}

const char *sshd_unavailable(void)
{
	if (!sshd_program())
		return "sshd is not installed (openssh-server)";
	/* sshd wants its privilege separation folder when it runs as root. */
	if (geteuid() == 0 && mkdir("/run/sshd", 0755) != 0 && errno != EEXIST)
		return "/run/sshd cannot be made";
	return NULL;
}

static pid_t run_child(const char *const *argv, int out_fd)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(out_fd >= 0 ? out_fd : null, 1);
	dup2(out_fd >= 0 ? out_fd : null, 2);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

bool sshd_run(const char *const *argv)
{
	int status = -1;
	pid_t pid = run_child(argv, -1);

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *sshd_path(const struct sshd *s, const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/%s", s->dir, name);
	return out;
}

bool sshd_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* A port that was free a moment ago. */
static uint16_t free_port(void)
{
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(&sa, 0, sizeof(sa));
	sa.sin_family = AF_INET;
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	uint16_t port = 0;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0 &&
		getsockname(fd, (struct sockaddr *)&sa, &len) == 0)
		port = ntohs(sa.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

static bool answers(uint16_t port)
{
	struct sockaddr_in sa;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(&sa, 0, sizeof(sa));
	sa.sin_family = AF_INET;
	sa.sin_port = htons(port);
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bool ok = connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0;

	close(fd);
	return ok;
}

static bool make_key(const char *path)
{
	const char *argv[] = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL};

	return sshd_run(argv);
}

static bool write_config(const struct sshd *s, const char *extra)
{
	char text[4096];
	char path[128];
	int n = snprintf(text, sizeof(text),
		"%s\n"
		"Port %u\nListenAddress 127.0.0.1\nHostKey %s/host\nPidFile %s/pid\n"
		"AuthorizedKeysFile %s/authorized\nStrictModes no\nUsePAM no\n"
		"PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
		"PermitRootLogin yes\nMaxStartups 1000\nPrintMotd no\nPrintLastLog no\n"
		/* bash then takes itself for a nested shell and leaves ~/.bashrc alone. */
		"SetEnv SHLVL=3\n",
		extra ? extra : "", (unsigned)s->port, s->dir, s->dir, s->dir);

	return n > 0 && (size_t)n < sizeof(text) &&
	       sshd_write_file(sshd_path(s, "config", path, sizeof(path)), text);
}

/* "[127.0.0.1]:port type key" from the server's public key. */
static bool write_known_hosts(const struct sshd *s)
{
	char pub[1024] = "";
	char line[1200];
	FILE *f = fopen(s->host_pub, "re");

	if (!f)
		return false;
	bool ok = fgets(pub, sizeof(pub), f) != NULL;

	fclose(f);
	snprintf(line, sizeof(line), "[127.0.0.1]:%u %s", (unsigned)s->port, pub);
	return ok && sshd_write_file(s->known_hosts, line);
}

static bool copy_file(const char *from, const char *to)
{
	const char *argv[] = {"cp", from, to, NULL};

	return sshd_run(argv);
}

static bool prepare(struct sshd *s, const char *extra)
{
	char path[128];
	char pub[128];

	snprintf(s->dir, sizeof(s->dir), "/tmp/hp-sshd-XXXXXX");
	if (!mkdtemp(s->dir))
		return false;
	struct passwd *pw = getpwuid(getuid());

	snprintf(s->user, sizeof(s->user), "%s", pw ? pw->pw_name : "root");
	sshd_path(s, "id", s->identity, sizeof(s->identity));
	sshd_path(s, "known_hosts", s->known_hosts, sizeof(s->known_hosts));
	sshd_path(s, "host.pub", s->host_pub, sizeof(s->host_pub));
	s->port = free_port();
	snprintf(pub, sizeof(pub), "%s.pub", s->identity);
	return s->port && make_key(sshd_path(s, "host", path, sizeof(path))) &&
	       make_key(s->identity) &&
	       copy_file(pub, sshd_path(s, "authorized", path, sizeof(path))) &&
	       write_config(s, extra) && write_known_hosts(s);
}

static void sleep_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

bool sshd_start(struct sshd *s, const char *extra_config)
{
	char config[128];
	char log[128];

	memset(s, 0, sizeof(*s));
	if (sshd_unavailable() || !prepare(s, extra_config)) {
		printf("sshd: cannot be prepared: %s\n", strerror(errno));
		return false;
	}
	const char *argv[] = {sshd_program(), "-D", "-e", "-f",
		sshd_path(s, "config", config, sizeof(config)), NULL};
	int fd = open(sshd_path(s, "log", log, sizeof(log)), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	s->pid = run_child(argv, fd);
	if (fd >= 0)
		close(fd);
	for (int i = 0; i < 500; i++) {
		if (answers(s->port))
			return true;
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
			break;
		sleep_ms(10);
	}
	printf("sshd: did not start, see %s\n", log);
	return false;
}

void sshd_stop(struct sshd *s)
{
	const char *argv[] = {"rm", "-rf", s->dir, NULL};

	if (s->pid > 0) {
		kill(s->pid, SIGTERM);
		waitpid(s->pid, NULL, 0);
	}
	if (strncmp(s->dir, "/tmp/hp-sshd-", 13) == 0)
		sshd_run(argv);
	memset(s, 0, sizeof(*s));
}
