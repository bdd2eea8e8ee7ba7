/* lua_plumbing.c - functions by which Lua calls functions. */
#include "interp/lua_plumbing.h"

/* Functions between the loop and the function that it calls; 5.1 to 5.4. */
static const char *const names[] = {
	"auxresume",        "auxwrap",
	"callTMres",        "ccall",
	"dochunk",          "docall",
	"f_call",           "luaB_auxwrap",
	"luaB_coresume",    "luaD_call",
	"luaD_callnoyield", "luaD_pcall",
	"luaD_precall",     "luaD_rawrunprotected",
	"luaT_callTMres",   "luaV_execute",
	"lua_callk",        "lua_pcallk",
	"lua_resume",       "precallC",
};

const struct interp_plumbing lua_plumbing = { "lua", "lua", names,
					      sizeof(names) / sizeof(*names) };
