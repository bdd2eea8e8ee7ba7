/* v8_layout.c - where V8 keeps what its frames need, by version. */
#include "interp/v8_layout.h"

#include "base/mem.h"

/*
 * V8 describes some of its objects to debuggers, by variables whose names begin
 * with v8dbg_.  The rest is from the sources of each version:
 * src/execution/isolate-data.h, src/objects/shared-function-info.tq and
 * scope-info.tq.  Offsets in the isolate are those that the builtin JSEntry has
 * in its code.
 */
static const struct v8_opcodes opcodes10 = {
	.operands = "2103113131111111115334111112",
	.is_signed = true,
	.begin = { 3, 3 },
	.function = { 18, 20 },
	.interpreted = 18,
};

static const struct v8_opcodes opcodes11 = {
	.operands = "103311313111112111111115333401111121",
	.begin = { 2, 3 },
	.function = { 23, 26 },
	.interpreted = 24,
	.repeat = 35,
};

static const struct v8_opcodes opcodes12 = {
	.operands = "5333213432103311111111111111111101111121",
	.begin = { 12, 13 },
	.function = { 0, 3 },
	.interpreted = 1,
	.repeat = 39,
};

static const struct v8_opcodes opcodes13 = {
	.operands = "643321343331003311101111111111111111101111121",
	.begin = { 14, 15 },
	.function = { 0, 3 },
	.interpreted = 1,
	.repeat = 44,
};

static const struct v8_layout known[] = {
	/* node 18 */
	{ .major = 10,
	  .minor = 2,
	  .isolate = { 0x4538, 0x4558, 0x100 },
	  .shared = { .data = 8,
		      .name = 16,
		      .script = 32,
		      .literal = 52,
		      .size = 56 },
	  .code = { .before = 128,
		    .flags = 48,
		    .instruction_bytes = 40,
		    .deoptimization = 16 },
	  .deoptimization = { 2, 5, 11 },
	  .safepoint_header = 8,
	  .bytecodes = { .positions = 32 },
	  .opcodes = &opcodes10 },
	/* node 20 */
	{ .major = 11,
	  .minor = 3,
	  .isolate = { 0x180, 0x1a0, 0xe8 },
	  .shared = { .data = 8,
		      .name = 16,
		      .script = 32,
		      .literal = 52,
		      .size = 56 },
	  .code = { .before = 16,
		    .flags = 48,
		    .instruction_bytes = 56,
		    .deoptimization = 16 },
	  .deoptimization = { 2, 5, 11 },
	  .safepoint_header = 8,
	  .bytecodes = { .positions = 32 },
	  .opcodes = &opcodes11 },
	/* node 22 */
	{ .major = 12,
	  .minor = 4,
	  .isolate = { 0x110, 0x1a8, 0xf0 },
	  .shared = { .data = 8,
		      .name = 16,
		      .script = 32,
		      .literal = 52,
		      .size = 56 },
	  .code = { .before = 32,
		    .flags = 48,
		    .instruction_bytes = 52,
		    .deoptimization = 8 },
	  .deoptimization = { 2, 5, 11 },
	  .safepoint_header = 8,
	  .bytecodes = { .positions = 24 },
	  .opcodes = &opcodes12 },
	/* node 24 */
	{ .major = 13,
	  .minor = 6,
	  .isolate = { 0x140, 0x1d8, 0x128 },
	  .shared = { .data = 8,
		      .name = 24,
		      .script = 40,
		      .literal = 60,
		      .size = 64 },
	  .code = { .before = 32,
		    .flags = 52,
		    .instruction_bytes = 56,
		    .deoptimization = 8 },
	  .deoptimization = { 3, 6, 12 },
	  .safepoint_header = 12,
	  .bytecodes = { .positions = 24 },
	  .opcodes = &opcodes13,
	  .scope = { .raw_flags = true, .fixed_position = true } },
};

enum {
	MAJOR,
	MINOR,
	SHARED,
	FUNCTION_FLAGS,
	SHARED_TYPE,
	SCOPE_TYPE,
	SCRIPT_TYPE,
	BYTECODES_TYPE,
	CODE_TYPE,
	STREAM_TYPE,
	BASELINE,
	BYTECODES_DATA,
	BYTES_TYPE,
	TRUSTED_BYTES_TYPE,
	SYMBOLS
};

const struct v8_layout *
v8_layout_known(size_t i)
{
	return &known[i % (sizeof(known) / sizeof(*known))];
}

static const struct v8_layout *
find_known(uint32_t major, uint32_t minor)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].major == major && known[i].minor == minor)
			return &known[i];
	}
	return NULL;
}

/* Read the values of the variables; 0 where one is missing. */
static void
read_values(const struct interp_reader *reader,
	    const struct interp_symbol *symbol, uint32_t *value)
{
	struct interp_copy copy = { 0 };
	size_t i;

	interp_copy_begin(&copy, reader, NULL, NULL, NULL, 0);
	for (i = 0; i < SYMBOLS; i++) {
		value[i] = 0;
		if (symbol[i].address != 0 &&
		    !interp_copy_read(&copy, symbol[i].address, &value[i],
				      sizeof(*value)))
			value[i] = 0;
	}
	interp_copy_free(&copy);
}

static const char *const symbol_names[SYMBOLS] = {
	[MAJOR] = "_ZN2v88internal7Version6major_E",
	[MINOR] = "_ZN2v88internal7Version6minor_E",
	[SHARED] = "v8dbg_class_JSFunction__shared__SharedFunctionInfo",
	[FUNCTION_FLAGS] = "v8dbg_class_SharedFunctionInfo__flags__int",
	[SHARED_TYPE] =
	    "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE",
	[SCOPE_TYPE] = "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE",
	[SCRIPT_TYPE] = "v8dbg_type_Script__SCRIPT_TYPE",
	[BYTECODES_TYPE] = "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE",
	[CODE_TYPE] = "v8dbg_type_Code__CODE_TYPE",
	[STREAM_TYPE] = "v8dbg_type_InstructionStream__INSTRUCTION_STREAM_TYPE",
	[BASELINE] = "v8dbg_CodeKindBaseline",
	[BYTECODES_DATA] = "v8dbg_class_BytecodeArray__data__uintptr_t",
	[BYTES_TYPE] = "v8dbg_type_ByteArray__BYTE_ARRAY_TYPE",
	[TRUSTED_BYTES_TYPE] =
	    "v8dbg_type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE",
};

bool
v8_layout_find(struct v8_layout *l, const struct interp_target *target,
	       size_t map, const struct interp_reader *reader, struct buf *why)
{
	struct interp_symbol symbol[SYMBOLS] = { { 0 } };
	uint32_t value[SYMBOLS];
	const struct v8_layout *found;
	int i;

	for (i = 0; i < SYMBOLS; i++)
		symbol[i].name = symbol_names[i];
	/* A program exports all of them, or none. */
	if (!interp_binary_find_exported(target, map, symbol, SYMBOLS))
		return false;
	if (symbol[MAJOR].address == 0)
		interp_binary_find(target, map, symbol, SYMBOLS, NULL, NULL);
	if (symbol[MAJOR].address == 0)
		return false;
	read_values(reader, symbol, value);
	found = find_known(value[MAJOR], value[MINOR]);
	if (found == NULL || value[SHARED] == 0 || value[SHARED_TYPE] == 0 ||
	    value[SCOPE_TYPE] == 0 || value[SCRIPT_TYPE] == 0 ||
	    value[FUNCTION_FLAGS] + sizeof(uint32_t) != found->shared.literal) {
		buf_printf(why,
			   "V8 %u.%u is not supported; for names, run node "
			   "with --perf-basic-prof",
			   value[MAJOR], value[MINOR]);
		return false;
	}
	*l = *found;
	l->function.shared = value[SHARED];
	l->shared.type = (uint16_t)value[SHARED_TYPE];
	l->scope.type = (uint16_t)value[SCOPE_TYPE];
	l->script.type = (uint16_t)value[SCRIPT_TYPE];
	l->bytecodes.type = (uint16_t)value[BYTECODES_TYPE];
	l->bytecodes.data = value[BYTECODES_DATA];
	l->bytecodes.table_type = (uint16_t)
	    value[value[TRUSTED_BYTES_TYPE] != 0 ? TRUSTED_BYTES_TYPE :
						   BYTES_TYPE];
	l->code.baseline = (uint8_t)value[BASELINE];
	l->code.type =
	    (uint16_t)value[value[STREAM_TYPE] != 0 ? STREAM_TYPE : CODE_TYPE];
	return true;
}
