#include <string.h>
#include <strings.h>

#include "collectors/compiler.h"
#include "tui/view.h"

extern const struct view_ops view_nodes_ops;
extern const struct view_ops view_heatmap_ops;
extern const struct view_ops view_findings_ops;
extern const struct view_ops view_log_ops;

static const struct view_ops *const views[] = {
	&view_nodes_ops,
	&view_heatmap_ops,
	&view_findings_ops,
	&view_log_ops,
};

const struct view_ops *view_at(size_t i)
{
	return i < ARRAY_LEN(views) ? views[i] : NULL;
}

const struct view_ops *view_by_name(const char *name)
{
	const struct view_ops *found = NULL;
	size_t len = strlen(name);

	for (size_t i = 0; len && i < ARRAY_LEN(views); i++) {
		if (strcasecmp(views[i]->name, name) == 0)
			return views[i];
		if (strncasecmp(views[i]->name, name, len) != 0)
			continue;
		if (found)
			return NULL;
		found = views[i];
	}
	return found;
}
