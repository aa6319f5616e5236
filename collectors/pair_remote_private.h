/* The state behind pair_remote.h, shared by pair_remote.c and pair_remote_answer.c only. */
#ifndef COLLECTORS_PAIR_REMOTE_PRIVATE_H
#define COLLECTORS_PAIR_REMOTE_PRIVATE_H

#include "collectors/frame.h"
#include "collectors/pair_book.h"
#include "collectors/pair_remote.h"
#include "collectors/pair_remote_text.h"

enum remote_state {
	REMOTE_WAITING,
	REMOTE_CONNECTING,
	REMOTE_STARTING,
	REMOTE_IDLE,
	REMOTE_ASKING
};

enum ask { ASK_NOTHING, ASK_LIST, ASK_READ };

struct pair_remote {
	struct pair_feed feed; /* first */
	struct source *source;
	char *path;
	char *label;
	size_t label_dir; /* of label: up to the slash before a single file's name */
	bool single;
	char error[200];

	enum remote_state state;
	struct transport *transport;
	struct frame frame;
	bool frame_ready;
	struct buf out;
	int64_t deadline_mono_ms;
	int64_t asked_mono_ms;
	uint64_t answer_bytes;
	unsigned failures;
	int64_t next_try_mono_ms;

	enum ask asked;
	struct pair_book book;
	struct pair_counts counts;
	bool full; /* the list being gathered is one of everything */
	bool list_cut;
	unsigned list_skip;
	size_t list_lines;
	bool looked;
	int64_t next_look_mono_ms;
	int64_t next_full_mono_ms;

	struct remote_piece pieces[REMOTE_PIECES_MAX];
	size_t n_pieces;
	struct buf large; /* a file that takes several requests: what has come of it */
	char *large_path;

	int64_t now_mono_ms; /* of this step */
	struct pair_store *store;
};

/* What stands wrong, for people; "" nothing. */
void remote_say(struct pair_remote *r, const char *what);
void remote_drop_large(struct pair_remote *r);

/* The open request's frame came; the request came to its end. */
void remote_take_list(struct pair_remote *r);
void remote_finish_list(struct pair_remote *r);
void remote_take_read(struct pair_remote *r);
void remote_finish_read(struct pair_remote *r);

#endif
