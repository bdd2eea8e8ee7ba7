/* luajit_layout.c - where the fields of LuaJIT's structures are. */
#include "interp/luajit_layout.h"

static const struct luajit_layout layouts[LUAJIT_LAYOUTS] = {
	/* since autumn 2020, as in Debian 12; until 2024 the traces are 8 less
	 */
	{ 184, 192, 368, 376, 1120 },
	/* 2026 */
	{ 184, 192, 376, 384, 1128 },
	/* summer 2020 */
	{ 176, 184, 360, 368, 1104 },
	/* 2019 */
	{ 128, 200, 344, 352, 1064 },
};

const struct luajit_layout *
luajit_layout_of(size_t i)
{
	return i < LUAJIT_LAYOUTS ? &layouts[i] : NULL;
}
