#include "tests/lib/ui_drive.h"

#include <locale.h>
#include <stdio.h>

#include "tui/input.h"

bool ui_drive_locale(void)
{
	if (setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8"))
		return true;
	fputs("skipped: no UTF-8 locale on this machine\n", stderr);
	return false;
}

void ui_drive_start(struct ui_drive *d, struct ui_fixture f, int w, int h)
{
	*d = (struct ui_drive){.fixture = f, .grid = GRID_INIT};
	d->screen = screen_new(false, view_at(0));
	screen_set_time(d->screen, UI_FIXTURE_MONO_MS, UI_FIXTURE_WALL_MS);
	screen_set_picture(d->screen, f.snap, f.jm);
	ui_drive_resize(d, w, h);
}

void ui_drive_stop(struct ui_drive *d)
{
	screen_free(d->screen);
	grid_release(&d->grid);
	ui_fixture_free(&d->fixture);
}

void ui_drive_keys(struct ui_drive *d, const char *keys)
{
	uint32_t key;

	while (input_next_key(&keys, &key)) {
		d->flags = screen_key(d->screen, key);
		screen_draw(d->screen, &d->grid);
	}
}

void ui_drive_command(struct ui_drive *d, const char *command)
{
	d->flags = screen_command(d->screen, command);
	screen_draw(d->screen, &d->grid);
}

void ui_drive_resize(struct ui_drive *d, int w, int h)
{
	grid_resize(&d->grid, w, h);
	screen_draw(d->screen, &d->grid);
}

void ui_drive_picture(struct ui_drive *d, struct ui_fixture f)
{
	struct ui_fixture old = d->fixture;

	d->fixture = f;
	screen_set_picture(d->screen, f.snap, f.jm);
	ui_fixture_free(&old);
	screen_draw(d->screen, &d->grid);
}

bool ui_drive_sees(const struct ui_drive *d, const char *text)
{
	return ui_drive_row(d, text) >= 0;
}

int ui_drive_style(const struct ui_drive *d, const char *text)
{
	int x;
	int y;

	return grid_find(&d->grid, text, &x, &y) ? grid_at(&d->grid, x, y)->style : -1;
}

int ui_drive_row(const struct ui_drive *d, const char *text)
{
	int x;
	int y;

	return grid_find(&d->grid, text, &x, &y) ? y : -1;
}

bool ui_drive_selected(const struct ui_drive *d, const char *text)
{
	int x;
	int y;

	return grid_find(&d->grid, text, &x, &y) && grid_at(&d->grid, x, y)->back == BACK_SELECTED;
}
