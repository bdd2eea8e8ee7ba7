/* ghc_json.c - reads the JSON that GHC writes with +RTS -pj. */
#include "formats/ghc_json.h"

#include "base/mem.h"
#include "base/u64map.h"
#include "codec/json.h"

#include <stdlib.h>

struct ghc_json {
	struct ghc_costs *costs;
	struct u64map centres; /* tokens of cost centres, by id */
	uint32_t unknown;
	struct buf label, module, source; /* scratch */
};

/* {"id": 148, "label": "fib", "module": "Main", "src_loc": "a.hs:6:1-64"} */
static void
read_centre(struct ghc_json *p, struct json *j)
{
	bool has_id = false;
	struct str key;
	int64_t id = 0;

	p->label.len = p->module.len = p->source.len = 0;
	if (json_expect(j, '{')) {
		while (json_key(j, &key)) {
			if (str_eq(key, STR("id")))
				has_id = json_integer(j, &id);
			else if (str_eq(key, STR("label")))
				json_text(j, &p->label);
			else if (str_eq(key, STR("module")))
				json_text(j, &p->module);
			else if (str_eq(key, STR("src_loc")))
				json_text(j, &p->source);
			else
				json_skip(j);
		}
	}
	if (json_bad(j) != NULL)
		return;
	if (!has_id) {
		input_bad(p->costs->in, "a cost centre has no id");
		return;
	}
	u64map_put(&p->centres, (uint64_t)id,
		   ghc_costs_token(p->costs, buf_slice(&p->label),
				   buf_slice(&p->module),
				   buf_slice(&p->source)));
}

static void
read_node_member(struct ghc_json *p, struct json *j, struct str key,
		 int64_t *count)
{
	uint32_t token = p->unknown;
	int64_t id;

	if (str_eq(key, STR("id"))) {
		if (!json_integer(j, &id) ||
		    !u64map_get(&p->centres, (uint64_t)id, &token))
			input_bad(p->costs->in,
				  "a sample refers to a missing cost centre");
		p->costs->stack[p->costs->depth - 1] = token;
	} else if (str_eq(key, p->costs->alloc ? STR("alloc") : STR("ticks"))) {
		json_integer(j, count);
	} else {
		json_skip(j);
	}
}

/* Enter the next node of a list; false at its end. */
static bool
enter_node(struct ghc_json *p, struct json *j, int64_t **count, size_t *cap)
{
	while (json_more(j)) {
		if (!json_expect(j, '{'))
			continue;
		ghc_costs_put(p->costs, p->costs->depth, p->unknown);
		*count = mem_grow(*count, cap, p->costs->depth,
				  sizeof(**count));
		(*count)[p->costs->depth - 1] = 0;
		return true;
	}
	return false;
}

static void
leave_node(struct ghc_json *p, int64_t count)
{
	p->costs->in->line++;
	if (count < 0)
		input_bad(p->costs->in, "a negative cost");
	else
		ghc_costs_push(p->costs, count_of((uint64_t)count));
	p->costs->depth--;
}

/* {"id": 148, "ticks": 3, "alloc": 64, "children": [...]}, of any depth */
static void
read_tree(struct ghc_json *p, struct json *j)
{
	int64_t *count = NULL;
	size_t cap = 0;
	struct str key;

	if (!json_expect(j, '{'))
		return;
	ghc_costs_put(p->costs, 0, p->unknown);
	count = mem_grow(count, &cap, 1, sizeof(*count));
	*count = 0;
	while (p->costs->depth > 0 && json_bad(j) == NULL) {
		if (!json_key(j, &key)) {
			if (json_bad(j) != NULL)
				break;
			leave_node(p, count[p->costs->depth - 1]);
			if (p->costs->depth > 0)
				enter_node(p, j, &count, &cap);
		} else if (str_eq(key, STR("children")) && json_enter(j, '[')) {
			enter_node(p, j, &count, &cap);
		} else {
			read_node_member(p, j, key,
					 &count[p->costs->depth - 1]);
		}
	}
	free(count);
}

void
ghc_json_read(struct ghc_costs *costs)
{
	struct ghc_json json = { .costs = costs };
	struct ghc_json *p = &json;
	struct json *j = json_new(p->costs->in);
	bool any = false;
	struct str key;
	int64_t us;

	p->unknown = sink_token(p->costs->out, &(struct frame){ 0 }, 0);
	json_enter(j, '{');
	while (json_key(j, &key)) {
		if (str_eq(key, STR("cost_centres")) && json_enter(j, '[')) {
			while (json_more(j))
				read_centre(p, j);
		} else if (str_eq(key, STR("tick_interval"))) {
			if (json_integer(j, &us) && us > 0 && us < UINT32_MAX)
				p->costs->interval = (uint64_t)us;
		} else if (str_eq(key, STR("profile"))) {
			any = true;
			read_tree(p, j);
		} else {
			json_skip(j);
		}
	}
	if (json_end(j) != NULL)
		input_bad(p->costs->in, "%s", json_bad(j));
	else if (!any)
		input_bad(p->costs->in, "not a GHC profile");
	json_free(j);
	u64map_free(&p->centres);
	buf_free(&p->label);
	buf_free(&p->module);
	buf_free(&p->source);
}
