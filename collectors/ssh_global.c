#include "collectors/ssh_global.h"

#include <libssh2.h>
#include <signal.h>
#include <string.h>

#include "collectors/spawn.h"

enum err_code ssh_global_init(struct err *e)
{
	struct sigaction ignore;

	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &ignore, NULL);
	if (libssh2_init(0) != 0)
		return err_set(e, ERR_BUG, "libssh2 cannot be set up (reinstall it)");
	return ERR_OK;
}

void ssh_global_release(void)
{
	spawn_release();
	libssh2_exit();
}
