/* hotspot_step.c - return addresses of HotSpot's code, and steps to them. */
#include "interp/hotspot_step.h"

#include <string.h>

/* How many bytes after a return address tell that it is the interpreter's. */
enum { CODE_AFTER = 32 };

bool
hotspot_step_follows_call(struct hotspot_walk *k, uint64_t pc)
{
	const unsigned char call = 0xe8, indirect = 0xff, of_register = 0xd0;
	unsigned char code[5];

	if (!interp_copy_get(k->memory, pc - sizeof(code), code, sizeof(code),
			     sizeof(code)))
		return false;
	return code[0] == call ||
	       (code[3] == indirect && (code[4] & 0xf8) == of_register);
}

bool
hotspot_step_resumes(struct hotspot_walk *k, uint64_t pc)
{
	/* movq $0, -16(%rbp) */
	static const unsigned char clear[] = { 0x48, 0xc7, 0x45, 0xf0,
					       0x00, 0x00, 0x00, 0x00 };
	unsigned char code[CODE_AFTER];

	return interp_copy_get(k->memory, pc, code, sizeof(code),
			       sizeof(code)) &&
	       memmem(code, sizeof(code), clear, sizeof(clear)) != NULL;
}

bool
hotspot_step_is_barrier(struct hotspot_walk *k, const struct hotspot_blob *b,
			uint64_t pc)
{
	return b->kind == HOTSPOT_STUB &&
	       str_starts(str_of(b->name), STR("StubRoutines (continuation")) &&
	       !hotspot_step_follows_call(k, pc);
}

bool
hotspot_step_is_return(struct hotspot_walk *k, uint64_t pc)
{
	const struct hotspot_blob *b;

	if (pc == 0)
		return false;
	if (pc == k->w->call_stub)
		return true;
	b = hotspot_code_find(k->w->code, k->memory, pc - 1);
	if (b == NULL)
		return false;
	switch (b->kind) {
	case HOTSPOT_COMPILED:
		return pc == b->deopt || pc == b->deopt_mh ||
		       hotspot_scopes_has(&k->w->scopes, k->w->l, k->memory, b,
					  pc) ||
		       hotspot_step_follows_call(k, pc);
	case HOTSPOT_INTERPRETER:
		return hotspot_step_resumes(k, pc) ||
		       hotspot_step_follows_call(k, pc);
	case HOTSPOT_STUB:
		return hotspot_step_follows_call(k, pc) ||
		       hotspot_step_is_barrier(k, b, pc);
	case HOTSPOT_NATIVE:
		return hotspot_step_follows_call(k, pc);
	case HOTSPOT_VTABLE:
	case HOTSPOT_ADAPTER:
		break;
	}
	return false;
}

void
hotspot_step_set_caller(struct hotspot_walk *k, uint64_t sp, uint64_t pc)
{
	const struct arch *a = k->f->thread->arch;

	k->r->known &= UINT64_C(1) << a->fp;
	arch_set(k->r, a->sp, sp);
	arch_set(k->r, a->pc, pc);
}

bool
hotspot_step_load(struct hotspot_walk *k, uint64_t address, uint64_t *value)
{
	return unwind_read(k->f->thread, address, value, sizeof(*value));
}

bool
hotspot_step_at(struct hotspot_walk *k, uint64_t distance, bool pushed)
{
	const uint64_t at = k->f->frame->sp + distance;
	uint64_t pc, fp;

	if (!hotspot_step_load(k, at, &pc) || !hotspot_step_is_return(k, pc) ||
	    (pushed && !hotspot_step_load(k, at - 8, &fp)))
		return false;
	if (pushed)
		arch_set(k->r, k->f->thread->arch->fp, fp);
	hotspot_step_set_caller(k, at + 8, pc);
	return true;
}

bool
hotspot_step_near(struct hotspot_walk *k, uint64_t near)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t sp = k->f->frame->sp, fp = k->r->value[a->fp];

	return arch_knows(k->r, a->fp) && fp >= sp && fp - sp < near &&
	       fp % 8 == 0 && hotspot_step_at(k, fp + 8 - sp, true);
}
