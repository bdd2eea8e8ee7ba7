/* arch.h - what depends on a CPU: registers, frames, PLTs, system calls. */
#ifndef ARCH_H
#define ARCH_H

#include "base/str.h"

/*
 * Each machine has a file of its own, such as x86_64.c, that fills in a struct
 * arch.  README says how to add one.  All of them are built on every host,
 * because recordings of other machines are read, too.
 */

/*
 * Registers of a thread by their DWARF numbers, from the ABI of the machine. If
 * DWARF has no number for the pc, the file of the machine chooses one.
 */
enum { ARCH_REGISTERS = 33 };

struct arch_registers {
	uint64_t value[ARCH_REGISTERS];
	uint64_t known; /* bit i: value[i] is known */
};

/* DWARF numbers of registers, in the order of another interface. */
struct arch_order {
	uint8_t n;
	uint8_t number[34]; /* ARCH_OTHER: a register that is not tracked */
};

enum { ARCH_OTHER = 0xff };

/* The layout of a frame record: offsets from the frame pointer, in bytes. */
struct arch_frame {
	int8_t fp, pc; /* the caller's saved registers */
	uint8_t cfa;   /* the caller's stack pointer */
};

/* The frame that the kernel pushes for a signal. */
struct arch_signal {
	struct str code; /* the handler returns to these instructions */
	int16_t at;      /* offset of the saved registers from sp there */
	struct arch_order saved;
};

/* The slot through which a PLT entry jumps. */
struct arch_slot {
	bool by_index;
	uint32_t index; /* of its relocation in .rela.plt */
	uint64_t vaddr; /* its address, unless by_index */
};

/* The procedure linkage table (PLT). */
struct arch_plt {
	/*
	 * The size of the reserved first entry and of all others, if entries
	 * are in the order of .rela.plt; or 0.
	 */
	uint8_t head, entry;
	/* Otherwise: the size of entries, by the first bytes of the section. */
	size_t (*size)(struct str section, bool is_got);
	/* And the slot of an entry, with the address of the GOT. */
	bool (*slot)(struct str entry, uint64_t vaddr, uint64_t got,
		     struct arch_slot *slot);
	uint32_t irelative; /* type of relocations for IFUNCs; 0: not read */
};

/* Reads code: returns how many of n bytes there are at an address. */
struct arch_code_reader {
	size_t (*read)(void *arg, uint64_t address, char *to, size_t n);
	void *arg;
};

/* Whether a function reaches an address without a call. */
enum arch_reach { ARCH_REACH_NO, ARCH_REACH_YES, ARCH_REACH_UNKNOWN };

/* How code gets back to its caller. */
struct arch_return {
	bool by_fp;     /* offsets are from the frame pointer, not from sp */
	int64_t pc_at;  /* of the return address */
	uint64_t saved; /* bits: these registers were saved, */
	int32_t saved_at[ARCH_REGISTERS]; /* there */
};

struct arch {
	/* Names in uname -m and perf.data, separated by blanks. */
	const char *names;
	/* The machine of its 32-bit programs; NULL if we do not know it. */
	const struct arch *compat;
	uint16_t machine; /* e_machine of ELF */
	uint32_t audit;   /* AUDIT_ARCH_*, linux/audit.h */
	uint8_t word;     /* size of an address and of a register, in bytes */
	uint8_t address_bits; /* other bits of a signed address: signature */

	/* DWARF numbers.  link is pc if calls push the return address. */
	uint8_t sp, fp, pc, link;
	struct arch_frame frame;
	/* Leaf functions save only fp, in the place of the pc. */
	bool leaf_saves_fp;
	/* Chains of frame pointers lack the caller of a leaf function. */
	bool chain_lacks_caller;

	/*
	 * Names of registers in uprobetracer.rst, regs_query_register_name(),
	 * by DWARF number, separated by blanks; NULL if they are unknown.
	 */
	const char *probe_registers;
	struct arch_order perf;      /* PERF_REG_*, asm/perf_regs.h */
	struct arch_order regset;    /* words of NT_PRSTATUS, sys/user.h */
	struct arch_order arguments; /* of system calls */
	/*
	 * Words of NT_PRSTATUS with the number and the result of the system
	 * call that a thread is in; 0 if there are none.
	 */
	uint8_t call_word, result_word;
	/* A word of NT_PRSTATUS that is the thread pointer; 0: none. */
	uint8_t thread_word;
	/* A word with a certain value, except in 32-bit code; 0: none. */
	uint8_t mode_word;
	uint64_t mode;
	const struct arch_signal *signals;
	uint8_t signals_n;

	/* Symbols that begin with '$' mark kinds of code and data. */
	bool mapping_symbols;
	struct arch_plt plt;
	/* .eh_frame of the trampolines of python -X perf; empty: unknown. */
	struct str python;
	/*
	 * .eh_frame for the return address of system calls in the vdso, and
	 * that address modulo 16.  Empty if programs make the calls themselves.
	 */
	struct str vdso_call;
	uint8_t vdso_call_at;
	int8_t capstone; /* cs_arch of libcapstone 4; -1: unsupported */
	uint8_t capstone_mode;

	/*
	 * Whether code, of up to ARCH_CODE bytes, leaves its function without
	 * having pushed anything: it jumps through a table, as PLT entries and
	 * tail calls do, or it returns.
	 */
	bool (*is_frameless)(struct str code);
	/*
	 * Whether ARCH_CALL bytes of code before an address end with a call of
	 * target, or with an indirect call; and the number of bytes that the
	 * start of a function subtracts from the stack pointer.  All or none of
	 * these are NULL.
	 */
	bool (*calls)(struct str code, uint64_t next, uint64_t *target);
	bool (*calls_indirectly)(struct str code);
	uint64_t (*stack_room)(struct str code);
	/*
	 * Find the next direct call or jump, conditional or not, that ends
	 * after *at: *at becomes its end, *to its target, as an offset from the
	 * code.  Data and parts of instructions may look like one.  And whether
	 * the start of a function sets the frame pointer.  Both or none are
	 * NULL.
	 */
	bool (*branch)(struct str code, size_t *at, int64_t *to, bool *call);
	bool (*sets_fp)(struct str code);
	/*
	 * Work out how code at a pc gets back to its caller, from its
	 * instructions; false if they are not understood.  May be NULL.
	 */
	bool (*find_return)(const struct arch_code_reader *code, uint64_t pc,
			    struct arch_return *r);
	/*
	 * Whether a function that starts at an address reaches a pc, and how
	 * many bytes it has put on the stack by then; -1: unknown.  Unknown
	 * also if it jumps through a table.  May be NULL if find_return() is.
	 */
	enum arch_reach (*reaches)(const struct arch_code_reader *code,
				   uint64_t start, uint64_t pc, int64_t *depth);
	/*
	 * How many bytes of a function that code begins with are reached
	 * without a call; 0 if that is unknown.  May be NULL.
	 */
	size_t (*reach)(struct str code);
};

enum { ARCH_CODE = 20, ARCH_CALL = 8 };

/*
 * Find a machine: by e_machine of ELF; by its name, where an empty name is this
 * host; the host itself.  NULL if lib/arch does not know it.
 */
const struct arch *arch_of(int machine);
const struct arch *arch_named(struct str name);
const struct arch *arch_host(void);

/* Find a machine by the first ARCH_ELF_HEADER bytes of an ELF file, or NULL. */
enum { ARCH_ELF_HEADER = 20 };
const struct arch *arch_of_header(struct str header);

/*
 * The machine of a perf sample's thread, by PERF_SAMPLE_REGS_ABI_*: a, or its
 * 32-bit variant.  NULL if we do not know it.
 */
const struct arch *arch_of_abi(const struct arch *a, uint64_t abi);

/*
 * Convert the registers of a perf sample, n values for the bits of mask.
 * Returns whether pc and sp are among them.
 */
bool arch_perf_registers(const struct arch *a, uint64_t mask,
			 const uint64_t *values, size_t n,
			 struct arch_registers *r);

/* A stopped thread on this host. */
struct arch_thread {
	const struct arch *arch; /* of the code that it runs */
	struct arch_registers registers;
	uint64_t sp, pc;
	uint64_t thread_pointer; /* 0: unknown */
	int64_t call;            /* the number of its system call, or -1 */
	bool waited;      /* the stop has interrupted the wait of the call */
	bool interrupted; /* and the program will see EINTR */
};

/* Enough room for NT_PRSTATUS of any thread on this host. */
enum { ARCH_REGSET_SIZE = 512 };

/* Convert NT_PRSTATUS of ptrace(2); false if the machine is unknown. */
bool arch_regset(struct arch_thread *t, const void *regset, size_t size);

/*
 * The known registers of a waiting thread: sp, pc and, in a system call, its
 * six arguments; otherwise, arguments is NULL.
 */
struct arch_registers arch_registers_at(const struct arch *a, uint64_t sp,
					uint64_t pc, const uint64_t *arguments);

/*
 * The name of a system call, of this host or of its 32-bit programs; NULL if
 * there is none.
 */
const char *arch_call_name(const struct arch *a, int64_t number);

/* The number of a system call of this host; -1 if there is none. */
int arch_call_number(const char *name);

static inline bool
arch_knows(const struct arch_registers *r, uint64_t number)
{
	return number < ARCH_REGISTERS && (r->known >> number & 1);
}

/* The register with the result of a system call. */
static inline uint8_t
arch_result(const struct arch *a)
{
	return a->call_word != 0 ? a->regset.number[a->result_word] :
				   a->arguments.number[0];
}

static inline void
arch_set(struct arch_registers *r, uint64_t number, uint64_t value)
{
	r->value[number] = value;
	r->known |= UINT64_C(1) << number;
}

#endif
