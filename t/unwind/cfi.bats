#!/usr/bin/env bats
# cfi.bats - the instructions and expressions of call frame information.

load ../helper

setup() {
	cfitest=$top_builddir/t/unwind/cfitest
	[ -x "$cfitest" ] || skip "the process side is not built"
	cd "$BATS_TEST_TMPDIR" || return
}

# evaluate [-4]: lines of an expression's bytes, "=", and the value it should
# have, which is that on top of the stack.
evaluate() {
	sed 's/[[:space:]]*#.*//; /^$/d' >all
	sed 's/=.*//' all | "$cfitest" "$@" | paste -d= <(sed 's/ *=.*//' all) - >ours
	diff <(sed 's/ *= */=/' all) ours
}

@test "constants of all sizes are pushed, with their signs" {
	evaluate <<-'END'
	03 0807060504030201 = 102030405070708
	08 ff = ff
	09 ff = ffffffffffffffff
	0a feff = fffe
	0b feff = fffffffffffffffe
	0c fdffffff = fffffffd
	0d fdffffff = fffffffffffffffd
	0e 0807060504030281 = 8102030405060708
	0f fcffffffffffffff = fffffffffffffffc
	10 e58e26 = 98765
	11 c0bb78 = fffffffffffe1dc0
	30 = 0
	4f = 1f
	END
}

# DWARF 5, D.1.2, with 17, 29 and 1000 on the stack.
@test "operations on the stack are those of the standard's examples" {
	evaluate <<-'END'
	0a e803 08 1d 41 12 = 11
	0a e803 08 1d 41 13 = 1d
	0a e803 08 1d 41 13 13 = 3e8
	0a e803 08 1d 41 15 02 = 3e8
	0a e803 08 1d 41 14 = 1d
	0a e803 08 1d 41 16 = 1d
	0a e803 08 1d 41 16 13 = 11
	0a e803 08 1d 41 17 = 1d
	0a e803 08 1d 41 17 13 = 3e8
	0a e803 08 1d 41 17 13 13 = 11
	96 = 1000
	END
}

@test "arithmetic is on signed words where the standard says so" {
	evaluate <<-'END'
	09 f9 19 = 7
	37 19 = 7
	08 ff 08 0f 1a = f
	09 f9 32 1b = fffffffffffffffd
	39 33 1c = 6
	33 39 1c = fffffffffffffffa
	39 34 1d = 1
	39 34 1e = 24
	39 1f = fffffffffffffff7
	30 20 = ffffffffffffffff
	39 34 21 = d
	39 34 22 = d
	39 23 8001 = 89
	31 08 3f 24 = 8000000000000000
	31 08 40 24 = 0
	09 ff 34 25 = fffffffffffffff
	09 ff 08 40 25 = 0
	09 f0 34 26 = ffffffffffffffff
	09 f0 08 40 26 = ffffffffffffffff
	39 35 27 = c
	END
}

@test "comparisons are signed, jumps are relative" {
	evaluate <<-'END'
	33 33 29 = 1
	09 ff 33 29 = 0
	33 09 ff 2a = 1
	33 09 ff 2b = 1
	33 33 2b = 0
	09 ff 33 2c = 1
	09 ff 33 2d = 1
	33 33 2d = 0
	33 33 2e = 0
	33 34 2e = 1
	31 28 0100 35 36 = 6	# over the 5
	35 30 28 0100 36 37 = 7
	35 2f 0100 36 = 5
	36 12 28 0100 96 = 6
	END
}

@test "registers and memory are read, in parts as well" {
	evaluate <<-'END'
	77 08 = 708
	70 7f = ffffffffffffffff
	92 09 00 = 900
	06 = 706050403020100
	94 01 = 0
	0a 0501 94 02 = 605
	END
}

@test "words of 32-bit machines have 4 bytes, and wrap" {
	evaluate -4 <<-'END'
	03 04030201 = 1030304		# the file's addresses move
	09 ff = ffffffff
	0e 0807060504030201 = 5060708
	09 ff 23 02 = 1
	31 08 1f 24 = 80000000
	31 08 20 24 = 0
	09 f0 34 25 = fffffff
	09 f0 34 26 = ffffffff
	09 f9 32 1b = fffffffd
	09 f9 19 = 7
	0c ffffff7f 31 22 30 2d = 1	# signed comparison
	30 20 = ffffffff
	06 = 3020100
	94 02 = 100
	94 08 = 3020100
	END
}

@test "what cannot be evaluated is bad, whatever it is" {
	evaluate <<-'END'
	01 = bad		# no such operation
	ff = bad
	97 = bad
	13 13 = bad		# more than there is
	22 = bad
	15 01 = bad
	14 = bad
	17 = bad
	39 30 1b = bad		# by zero
	39 30 1d = bad
	0e 0000000000000080 09 ff 1b = bad
	7a 00 = bad		# an unknown register, or none
	92 21 00 = bad
	92 8001 00 = bad
	30 06 = bad		# memory that cannot be read
	94 00 = bad
	94 09 = bad
	0a 01 = bad		# cut off
	10 80 = bad
	77 = bad
	2f fcff = bad		# before the beginning, behind the end
	2f 0100 = bad
	2f fdff = bad		# for ever
	END
	# Deeper than 32, and just so deep.
	[ "$(printf '12%.0s' {1..31} | "$cfitest")" = 1000 ]
	[ "$(printf '12%.0s' {1..32} | "$cfitest")" = bad ]
}

need_readelf() {
	command -v readelf >/dev/null || skip "no readelf"
	[ "$(uname -m)" = x86_64 ] || skip "registers are named for x86_64"
}

# readelf_rules FILE: address, CFA by a register's number, and return address,
# of every row of every function.
readelf_rules() {
	readelf --debug-dump=frames-interp "$1" 2>/dev/null |
		sed 's/ ([a-z0-9]*)//g' | awk '
	BEGIN {
		n = split("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12" \
			  " r13 r14 r15", names, " ")
		for (i = 1; i <= n; i++)
			number[names[i]] = i - 1
	}
	/ CIE / { function_ = 0 }
	/ FDE / { function_ = 1; split($0, part, /\.\./); end = part[2] }
	function_ && length($1) == 16 && NF > 2 && ($1 "") < (end "") {
		register = $2
		sub(/[-+].*/, "", register)
		cfa = $2
		if (register in number)
			sub(/^[a-z0-9]+/, number[register], cfa)
		print $1, cfa, $NF
	}'
}

# same_rules FILE: whether ours are those, which are left in "theirs".
same_rules() {
	readelf_rules "$1" >theirs
	cut -d' ' -f1 theirs | "$top_builddir/t/elf/elfsyms" -f "$1" |
		paste -d' ' <(cut -d' ' -f1 theirs) - >ours
	echo "# $1: $(wc -l <theirs) rows"
	diff theirs ours
}

@test "the rules of a library are those readelf has, row by row" {
	local file

	need_readelf
	for file in $(ldd "$top_builddir/t/unwind/unwindtest" | grep -o '/[^ ]*\(libc\.\|ld-linux\)[^ ]*') \
		"$top_builddir/t/unwind/unwindtest"; do
		same_rules "$file"
		[ "$(wc -l <theirs)" -gt 50 ]
	done
}

@test "each instruction does what readelf says" {
	need_readelf
	as -o rows.o - <<-'END'
	.text
	.cfi_startproc
	nop
	.cfi_escape 0x12, 7, 0x7e		# def_cfa_sf
	nop
	.cfi_escape 0x13, 0x7c			# def_cfa_offset_sf
	nop
	.cfi_remember_state
	.cfi_escape 0x05, 16, 3			# offset_extended
	nop
	.cfi_escape 0x2f, 16, 2			# GNU_negative_offset_extended
	nop
	.cfi_escape 0x14, 16, 1			# val_offset
	nop
	.cfi_escape 0x15, 16, 0x7d		# val_offset_sf
	nop
	.cfi_escape 0x06, 16			# restore_extended
	nop
	.cfi_escape 0x08, 16			# same_value
	nop
	.cfi_escape 0x16, 16, 2, 0x77, 8	# val_expression
	nop
	.cfi_escape 0x10, 16, 2, 0x77, 8	# expression
	nop
	.cfi_escape 0x09, 16, 2			# register
	nop
	.cfi_undefined 16
	nop
	.cfi_restore_state
	.cfi_escape 0x0f, 2, 0x77, 16		# def_cfa_expression
	.fill 70000, 1, 0x90
	.cfi_def_cfa rbp, 16
	.fill 300, 1, 0x90
	.cfi_def_cfa_register rsp
	.cfi_escape 0x2e, 16			# GNU_args_size
	nop
	.cfi_endproc
	END
	ld -e 0 -o rows rows.o
	same_rules rows
	[ "$(wc -l <theirs)" -eq 16 ]
}

@test "a function with a spoilt instruction has no rules" {
	local bytes

	[ "$(uname -m)" = x86_64 ] || skip "the function is of x86-64"
	# No such instruction, no state to restore, expressions that are cut
	# off, and too many states.
	for bytes in 0x3f 0x0b 0x0f,0x7f 0x16,16,0x7f "$(printf '0x0a,%.0s' {1..99})0"; do
		printf '%s\n' .text .cfi_startproc nop \
			".cfi_escape $bytes" nop .cfi_endproc |
			as -o bad.o -
		ld -e 0 -Ttext 0x401000 -o bad bad.o
		run -0 "$top_builddir/t/elf/elfsyms" -f bad <<<$'401000\n401001'
		[ "$output" = $'7+8 c-8\n?' ]
	done
}

# entry ENCODING DIRECTIVE: a function of two bytes at 0x1000, by an entry whose
# addresses are of this encoding, DW_EH_PE_*.
entry() {
	as -o entry.o - <<-END
	.text
	.byte 0x90, 0x90
	.section .eh_frame, "a"
	cie: .long 2f - 1f
	1: .long 0
	.byte 1
	.asciz "zR"
	.byte 1, 0x78, 16, 1, $1
	.byte 0x0c, 7, 8, 0x90, 1
	2: .long 4f - 3f
	3: .long 3b - cie
	$2 0x1000
	$2 2
	.byte 0
	4: .long 0
	END
	ld -e 0 -Ttext 0x1000 -o entry entry.o
}

@test "addresses of functions are read in each encoding there is" {
	local form

	[ "$(uname -m)" = x86_64 ] || skip "the function is of x86-64"
	for form in 0:.quad 1:.uleb128 2:.short 3:.long 4:.quad 9:.sleb128 \
		10:.short 11:.long 12:.quad; do
		entry "${form%:*}" "${form#*:}"
		run -0 "$top_builddir/t/elf/elfsyms" -f entry <<<$'1001\n1002'
		[ "$output" = $'7+8 c-8\n?' ]
	done
	for form in 5 0x20 0xff; do
		entry $form .quad
		run -0 "$top_builddir/t/elf/elfsyms" -f entry <<<1001
		[ -z "$output" ] || [ "$output" = '?' ]
	done
}

# The rules of the functions in a program, without PLT entries.
rules_of() {
	"$top_builddir/t/elf/elfsyms" -f "$1" <addresses
}

@test "the rules of .sframe are those of .eh_frame" {
	local machine start size i

	command -v python3 >/dev/null || skip "no python3"
	for machine in x86_64 aarch64; do
		xz -dc "$DATA/sframe/$machine.xz" >both
		while read -r start size _; do
			for ((i = 0; i < 16#$size; i++)); do
				printf '%x\n' $((16#$start + i))
			done
		done < <("$top_builddir/t/elf/elfsyms" both |
			grep -E ' (big|dynamic|leaf|main|saves)$') >addresses
		[ "$(wc -l <addresses)" -gt 250 ]
		rules_of both >expected
		[ "$(sort -u expected | wc -l)" -gt 3 ]
		! grep -q '?' expected || false
		without_sections both only .eh_frame .eh_frame_hdr
		diff expected <(rules_of only)
		without_sections both none .eh_frame .eh_frame_hdr .sframe
		! rules_of none | grep -v '?' || false
	done
}

# without_sections FROM TO NAME...: objcopy of one machine cannot write files of
# another one, so change the names, and the segment PT_GNU_EH_FRAME.
without_sections() {
	local from=$1 to=$2

	shift 2
	python3 - "$from" "$to" "$@" <<-'END'
	import sys
	data = open(sys.argv[1], "rb").read().replace(b"\x50\xe5\x74\x64", bytes(4))
	for name in sys.argv[3:]:
	    name = name.encode() + b"\0"
	    data = data.replace(name, b"x" * (len(name) - 1) + b"\0")
	open(sys.argv[2], "wb").write(data)
	END
}

@test "a .sframe that is cut or changed ends with a status" {
	local from size

	command -v python3 >/dev/null || skip "no python3"
	xz -dc "$DATA/sframe/x86_64.xz" >both
	without_sections both only .eh_frame .eh_frame_hdr
	read -r from size < <(readelf -WS only |
		sed -n 's/.* \.sframe *[A-Z0-9:]* *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')
	dd if=only of=section bs=1 skip=$((0x$from)) count=$((0x$size)) status=none
	# shellcheck disable=SC2016 # for sh
	TMPDIR=$BATS_TEST_TMPDIR "$top_builddir/t/programs/hostile" section sh -c '
		cp only bad && dd of=bad bs=1 seek="$1" conv=notrunc status=none &&
		seq 4096 8 5200 | xargs printf "%x\n" | "$2" -f bad
	' sh $((0x$from)) "$top_builddir/t/elf/elfsyms"
}
