#include "collectors/exec_template.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/xmalloc.h"

#define TEXT_CAP 4096 /* of a template, and of a word with its names filled in */

static void add_word(struct exec_template *t, const char *word)
{
	xgrow((void **)&t->words, &t->cap, t->n + 1, sizeof(*t->words));
	t->words[t->n++] = xstrdup(word);
	t->words[t->n] = NULL;
}

void exec_template_release(struct exec_template *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->words[i]);
	free(t->words);
	*t = (struct exec_template)EXEC_TEMPLATE_INIT;
}

/*
 * One word from *p on into b (large enough for the whole text). False when a
 * quote stays open or a backslash ends the text.
 */
static bool take_word(const char **p, char *word)
{
	const char *c = *p;
	char quote = '\0';

	for (; *c && (quote || !strchr(" \t\n\r", *c)); c++) {
		if (quote && *c == quote) {
			quote = '\0';
		} else if (!quote && (*c == '\'' || *c == '"')) {
			quote = *c;
		} else if (*c == '\\' && quote != '\'') {
			/* In double quotes a backslash is only special before these. */
			bool special = !quote || strchr("\"\\$`", c[1]);

			if (!c[1])
				return false;
			if (special)
				c++;
			*word++ = *c;
		} else {
			*word++ = *c;
		}
	}
	*word = '\0';
	*p = c;
	return quote == '\0';
}

static bool is_shell(const char *word)
{
	static const char *const names[] = {"sh", "bash", "dash", "ash", "zsh", "ksh"};
	const char *slash = strrchr(word, '/');
	const char *base = slash ? slash + 1 : word;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(base, names[i]) == 0)
			return true;
	return false;
}

/* True when any word holds needle. */
static bool mentions(const struct exec_template *t, const char *needle)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->words[i], needle))
			return true;
	return false;
}

static enum err_code split(struct exec_template *t, const char *text, struct err *e)
{
	size_t len = strlen(text);

	if (len > TEXT_CAP)
		return err_set(e, ERR_USAGE, "--exec: the template is over %d bytes", TEXT_CAP);
	char *word = xmalloc(len + 1);
	enum err_code rc = ERR_OK;
	const char *p = text + strspn(text, " \t\n\r");

	while (rc == ERR_OK && *p) {
		if (take_word(&p, word))
			add_word(t, word);
		else
			rc = err_set(e, ERR_USAGE,
				"--exec '%.100s': a quote stays open, or a backslash ends it "
				"(close it)",
				text);
		p += strspn(p, " \t\n\r");
	}
	free(word);
	return rc;
}

enum err_code exec_template_parse(struct exec_template *t, const char *text, struct err *e)
{
	bool shell = false;
	enum err_code rc = split(t, text, e);

	if (rc == ERR_OK && !mentions(t, "{node}") && !mentions(t, "{host}"))
		rc = err_set(e, ERR_USAGE,
			"--exec '%.100s': no {node} in it (write {node} where the node's name "
			"goes, as "
			"in 'kubectl exec -i {node} -- sh -s')",
			text);
	if (rc == ERR_OK && (strchr(t->words[0], '{') || !*t->words[0]))
		rc = err_set(e, ERR_USAGE,
			"--exec '%.100s': the first word must be the program to run", text);
	if (rc) {
		exec_template_release(t);
		return rc;
	}
	for (size_t i = 0; i < t->n; i++)
		shell = shell || is_shell(t->words[i]);
	if (!shell) {
		add_word(t, "sh");
		add_word(t, "-s");
	}
	return ERR_OK;
}

/* One word with its names filled in; what else is in braces stays. */
static bool fill_word(struct buf *b, const char *word, const char *const names[][2], size_t n)
{
	while (*word) {
		size_t i = 0;

		while (i < n && strncmp(word, names[i][0], strlen(names[i][0])) != 0)
			i++;
		if (i == n) {
			if (buf_add(b, word++, 1))
				return false;
			continue;
		}
		if (buf_add_str(b, names[i][1]))
			return false;
		word += strlen(names[i][0]);
	}
	return true;
}

enum err_code exec_template_fill(struct exec_template *out, const struct exec_template *t,
	const char *host, const char *user, uint16_t port, struct err *e)
{
	char number[8];
	const char *const names[][2] = {{"{node}", host}, {"{host}", host},
		{"{user}", user ? user : ""}, {"{port}", number}};

	snprintf(number, sizeof(number), "%u", port ? (unsigned)port : 22);
	if (!user && mentions(t, "{user}"))
		return err_set(e, ERR_USAGE,
			"--exec: {user} is in the template, but no user is given for %.100s (write "
			"user@%.100s)",
			host, host);
	for (size_t i = 0; i < t->n; i++) {
		struct buf b = BUF_INIT(TEXT_CAP);

		if (!fill_word(&b, t->words[i], names, ARRAY_LEN(names))) {
			buf_release(&b);
			exec_template_release(out);
			return err_set(
				e, ERR_TOOBIG, "--exec: an argument over %d bytes", TEXT_CAP);
		}
		add_word(out, buf_str(&b));
		buf_release(&b);
	}
	return ERR_OK;
}
