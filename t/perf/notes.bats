#!/usr/bin/env bats
# notes.bats - what stackcollapse-perf says of a recording's stacks and names,
# and how to get better ones.

load ../helper

setup_file() {
	export RECORDINGS=$BATS_FILE_TMPDIR

	mkdir "$RECORDINGS/symfs"
	xz -dc "$DATA/perfdata/fp_basic.data.xz" >"$RECORDINGS/fp_basic.data"
	xz -dc "$DATA/perfdata/symfs.tar.xz" | tar -C "$RECORDINGS/symfs" -xf -
}

# chains COUNT ADDRESS...: a recording of as many samples of that chain, leaf
# first; a library lies at 0x100000, a program at 0x200000.
chains() {
	local n=$1 i chain

	shift
	chain="8:$(($# + 1)) 8:0xfffffffffffffe00"
	for i in "$@"; do
		chain+=" 8:$i"
	done
	for ((i = 0; i < n; i++)); do
		echo "9 2 8:$1 4:7 4:7 8:$((1000 + i)) $chain"
	done
}

recording() {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x40000 80:0"
		echo "1 2 4:7 4:7 8:0x100000 8:0x1000 8:0 16:'/lib/libx.so.1" \
			"4:7 4:7 8:0"
		echo "1 2 4:7 4:7 8:0x200000 8:0x1000 8:0 16:'/bin/x" \
			"4:7 4:7 8:0"
		cat
	} | "$top_builddir/t/programs/mkperf"
}

@test "stacks that end in a library without frame pointers are said" {
	# Where the program called it, and that was called, all is well; a
	# broken chain may go on with what is no address.
	{
		chains 59 0x100010 0x200010 0x100020
		chains 40 0x100030 0x100010
		chains 1 0x100040 0x5
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --symfs "$BATS_TEST_TMPDIR" \
		"$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"41 % of stacks end in libx.so.1 without frame pointers: record with --call-graph dwarf"* ]]
}

@test "a chain that ends in no return address is truncated, and counted so" {
	local data=$BATS_TEST_TMPDIR/data

	# -1, which is no context marker here, and 5; between return addresses
	# it may be that a mapping was lost.
	{
		chains 30 0x200010 0x200020 -1 5
		chains 10 0x200010 -128
		chains 5 0x200010 0x300000 0x200020
		chains 5 0x300010 -1 5
	} | recording >"$data"
	run -0 --separate-stderr stackcollapse-perf --root none \
		--symfs "$BATS_TEST_TMPDIR" "$data"
	[ "$output" = '[truncated];[x] 10
[truncated];[x];[x] 30
[unknown];[unknown];[unknown] 5
[x];[unknown];[x] 5' ]
	[[ $stderr == *"80 % of stacks end in x without frame pointers: record with --call-graph dwarf"* ]]
	[[ $stderr == *"80.0 % of the stacks are truncated"* ]]
}

@test "the missing caller of a leaf on x86 is repaired, and counted" {
	local symfs=$RECORDINGS/symfs data=$BATS_TEST_TMPDIR/data

	xz -dc "$DATA/perfdata/callers.data.xz" >"$data"
	run -0 --separate-stderr stackcollapse-perf --symfs "$symfs" --kallsyms "$symfs/kallsyms" "$data"
	[[ $output == *";main;parse;leaf_hash"*";main;render;leaf_hash"* ]]
	[[ $output != *";main;leaf_hash"* ]]
	[[ $stderr == *"100 % of the stacks were repaired"* ]]
	[[ $stderr != *missing* ]]
}

@test "a copy of the stack has the caller of a leaf, and goes on as a chain" {
	local symfs=$RECORDINGS/symfs data=$BATS_TEST_TMPDIR/data

	xz -dc "$DATA/perfdata/callers_copy.data.xz" >"$data"
	run -0 --separate-stderr stackcollapse-perf --symfs "$symfs" \
		--kallsyms "$symfs/kallsyms" "$data"
	[[ $output == *";main;parse;leaf_hash"*";main;render;leaf_hash"* ]]
	[[ $output != *";main;leaf_hash"* ]]
	[[ $stderr != *repaired* && $stderr != *missing* ]]
}

@test "without proof of a caller the stack says that it is missing" {
	local symfs=$RECORDINGS/symfs data=$BATS_TEST_TMPDIR/data

	# The C library, which calls main() by a pointer, is not there.
	xz -dc "$DATA/perfdata/vdso.data.xz" >"$data"
	run -0 --separate-stderr stackcollapse-perf --symfs "$symfs" \
		--kallsyms "$symfs/kallsyms" "$data"
	[[ $output == *";[missing];tick "* ]]
	[[ $stderr == *"callers of 4 % of the stacks are missing"*"record with --call-graph dwarf"* ]]
}

@test "samples that are one frame each, as without -g, are said" {
	local note="stackcollapse-perf: no sample has callers: record with -g"

	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0x40000 80:0"
		echo "9 2 8:0x1000 4:7 4:7 8:1000"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"$note"* ]]
	printf 'a 7 1.0: 1 cycles: 1f main (a)\na 7 2.0: 1 cycles: 2f f (a)\n' \
		>"$BATS_TEST_TMPDIR/text"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/text"
	[ "$stderr" = "$note" ]
	# With it, some are one frame.
	printf 'a 7 1.0: 1 cycles:\n\t1f main (a)\n' >"$BATS_TEST_TMPDIR/text"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/text"
	[ -z "$stderr" ]
}

@test "a few such stacks are not worth a word" {
	{
		chains 199 0x100010 0x200010 0x100020
		chains 1 0x100030
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --symfs "$BATS_TEST_TMPDIR" \
		"$BATS_TEST_TMPDIR/data"
	[[ $stderr != *"end in"* ]]
	[[ $stderr == *"libx.so.1: not found"* ]]
}

@test "threads may begin in a library" {
	run -0 --separate-stderr stackcollapse-perf --symfs "$RECORDINGS/symfs" \
		"$RECORDINGS/fp_basic.data"
	[[ $stderr != *"end in"* ]]
}

@test "symbols of the kernel that are hidden are said" {
	sed 's/^[0-9a-f]*/0000000000000000/' "$RECORDINGS/symfs/kallsyms" \
		>"$BATS_TEST_TMPDIR/kallsyms"
	run -0 --separate-stderr stackcollapse-perf --symfs "$RECORDINGS/symfs" \
		--kallsyms "$BATS_TEST_TMPDIR/kallsyms" \
		"$RECORDINGS/fp_basic.data"
	[[ $stderr == *"hides kernel addresses"*"kptr_restrict"* ]]
	[[ $output != *__x64_sys* ]]
}

@test "symbols of another boot or kernel are not used, and that is said" {
	# Else it may be the kernel of this machine: its build-id has 5a9b,
	# and a byte behind that which ends a line here.
	sed 's/\x5a\x9b$/\x5a\x5a/' "$RECORDINGS/fp_basic.data" \
		>"$BATS_TEST_TMPDIR/data"
	run ! cmp "$RECORDINGS/fp_basic.data" "$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	[ -r /proc/kallsyms ] || skip "no /proc/kallsyms"
	[[ $stderr == *"/proc/kallsyms, which are of another boot or kernel"* ||
		$stderr == *"hides kernel addresses"* ]]
	[[ $output != *__x64_sys* ]]
}

# A home with perf's copy of the kernel's symbols, by the recording's build-id.
copy_kallsyms() {
	local folder=$BATS_TEST_TMPDIR/.debug/.build-id/4a

	folder=$folder/5a9b0affb66c437abcd455d2738af879985fa9
	mkdir -p "$folder"
	sed "$1" "$RECORDINGS/symfs/kallsyms" >"$folder/kallsyms"
}

@test "names of the kernel's own code come from perf's copy of its symbols" {
	copy_kallsyms 's/ asm_sysvec_apic_timer_interrupt$/ copied/'
	HOME=$BATS_TEST_TMPDIR run -0 --separate-stderr stackcollapse-perf \
		"$RECORDINGS/fp_basic.data"
	[[ $output == *";copied;"* ]]
	[[ $output != *asm_sysvec_apic_timer_interrupt* ]]
}

@test "a copy of the kernel's symbols of another boot is not used" {
	copy_kallsyms 's/ asm_sysvec_apic_timer_interrupt$/ copied/
		s/^ffffffff8\([0-9a-f]* T _s*text\)/ffffffff9\1/'
	HOME=$BATS_TEST_TMPDIR run -0 --separate-stderr stackcollapse-perf \
		"$RECORDINGS/fp_basic.data"
	[[ $output != *copied* ]]
}

@test "without a list of build-ids the mapping says which kernel it was" {
	local data=$BATS_TEST_TMPDIR/data address

	copy_kallsyms d
	printf 'ffffffff9%07x T %s\n' 0 _stext 0x10 works 0x1000 _etext \
		>"$BATS_TEST_TMPDIR/.debug/.build-id/4a/"*/kallsyms
	# A module's function, whose file says nothing of the kernel, is first.
	{
		echo "10 0x4001 4:-1 4:0 8:0xffffffffa0000000 8:0x1000 8:0" \
			"1:20 3:0 8:1 8:2 4:3 4:0 4:0 8:'[module]" \
			"4:0 4:0 8:0"
		echo "10 0x4001 4:-1 4:0 8:0xffffffff90000000 8:0x1000" \
			"8:0xffffffff90000000 1:20 3:0 8:0x436cb6ff0a9b5a4a" \
			"8:0xf88a73d255d4bc7a 4:0xa95f9879 4:0 4:0" \
			"32:'[kernel.kallsyms]_text 4:0 4:0 8:0"
		for address in 0xffffffffa0000010 0xffffffff90000020; do
			echo "9 1 8:$address 4:7 4:7 8:1000" \
				"8:2 8:0xffffffffffffff80 8:$address"
		done
	} | recording >"$data"
	HOME=$BATS_TEST_TMPDIR run -0 --separate-stderr stackcollapse-perf \
		"$data"
	[[ $output == *";works 1"* ]]
}

@test "a file without symbols is named, with what to do" {
	local symfs=$BATS_TEST_TMPDIR/symfs bin=tmp/h/perfdata/bin/p_fp

	cp -R "$RECORDINGS/symfs" "$symfs"
	chmod u+w "$symfs/$bin"
	strip -s "$symfs/$bin"
	run -0 --separate-stderr stackcollapse-perf --symfs "$symfs" \
		--kallsyms "$symfs/kallsyms" "$RECORDINGS/fp_basic.data"
	[[ $stderr == *"/p_fp has no symbols: install its debug package"* ]]
}

@test "a file with .gnu_debugdata has symbols, even if the PLT has a sample" {
	local file=$BATS_TEST_TMPDIR/program data=$BATS_TEST_TMPDIR/data plt

	cd "$BATS_TEST_TMPDIR"
	cp "$top_builddir/t/programs/cpu" "$file"
	# The first entry of a PLT has no name.
	plt=$(readelf -SW "$file" | sed -n 's/.* \.plt  *PROGBITS *\([0-9a-f]*\) .*/0x\1/p')
	strip -g -o mini "$file"
	strip -s "$file"
	xz -f mini
	objcopy --add-section .gnu_debugdata=mini.xz "$file"
	{
		echo "1 2 4:7 4:7 8:0x300000 8:0x100000 8:0" \
			"128:'$file 4:7 4:7 8:0"
		chains 1 "$((0x300000 + plt))"
	} | recording >"$data"
	run -0 --separate-stderr stackcollapse-perf "$data"
	[[ $stderr != *"no symbols"* ]]
	objcopy -R .gnu_debugdata "$file"
	run -0 --separate-stderr stackcollapse-perf "$data"
	[[ $stderr == *"/program has no symbols: install its debug package"* ]]
}

@test "advice against missing frame pointers is that of the runtime" {
	local file data=$BATS_TEST_TMPDIR/data

	# file cure
	while read -r file cure; do
		{
			echo "1 2 4:7 4:7 8:0x300000 8:0x1000 8:0" \
				"64:'/opt/$file 4:7 4:7 8:0"
			chains 1 0x300010 -1
		} | recording >"$data"
		run -0 --separate-stderr stackcollapse-perf \
			--symfs "$BATS_TEST_TMPDIR" "$data"
		[[ $stderr == *"100 % of stacks end in $file without frame pointers: $cure"* ]]
	done <<-'END'
		libjvm.so java: add -XX:+PreserveFramePointer -XX:+DebugNonSafepoints
		php8.2 php: add -d opcache.jit=off, and record with --call-graph dwarf
		libx.so.1 record with --call-graph dwarf
	END
}

@test "a program run from a memory file is named by it, without a map of a JIT" {
	local data=$BATS_TEST_TMPDIR/data symfs=$BATS_TEST_TMPDIR

	{
		echo "1 2 4:7 4:7 8:0x300000 8:0x1000 8:0" \
			"24:'/memfd:run" "4:7 4:7 8:0"
		chains 1 0x300010
	} | recording >"$data"
	run -0 stackcollapse-perf -q --symfs "$symfs" "$data"
	[[ $output == *";[memfd:run] "* ]]
	mkdir "$symfs/tmp"
	echo "300800 10 jitted" >"$symfs/tmp/perf-7.map"
	run -0 stackcollapse-perf -q --symfs "$symfs" "$data"
	[[ $output == *";[perf-7.map] "* ]]
}

@test "code of a JIT that perf inject put into files is marked" {
	local data=$BATS_TEST_TMPDIR/data symfs=$BATS_TEST_TMPDIR

	mkdir "$symfs/jit"
	cp "$top_builddir/t/programs/cpu" "$symfs/jit/jitted-7-1.so"
	{
		echo "1 2 4:7 4:7 8:0x300000 8:0x100000 8:0" \
			"24:'/jit/jitted-7-1.so 4:7 4:7 8:0"
		chains 1 0x300010 "$((0x300001 + 0x$(nm "$symfs/jit/jitted-7-1.so" |
			sed -n 's/ T main$//p')))"
	} | recording >"$data"
	run -0 stackcollapse-perf -q --jit --root none --symfs "$symfs" "$data"
	[ "$output" = "main_[j];[jitted-7-1.so]_[j] 1" ]
	run -0 stackcollapse-perf -q --root none --symfs "$symfs" "$data"
	[ "$output" = "main;[jitted-7-1.so] 1" ]
}

# moved MAPPING...: what runs in a process with these mappings, each the start,
# the length and the offset of the program, or of memory without a file.
moved() {
	local file=$BATS_TEST_TMPDIR/program map name

	cp "$top_builddir/t/programs/cpu" "$file"
	{
		for map in "$@"; do
			# shellcheck disable=SC2086 # three words
			set -- $map
			name="16:'//anon"
			[ "$3" = - ] || name="128:'$file"
			echo "1 2 4:7 4:7 8:$1 8:$2 8:${3/-/0} $name" \
				"4:7 4:7 8:0"
		done
		chains 1 "$((0x1ff000 + 0x$(nm "$file" |
			sed -n 's/ T main$//p')))"
	} | recording >"$BATS_TEST_TMPDIR/data"
	stackcollapse-perf -q --root none "$BATS_TEST_TMPDIR/data"
}

@test "code that its program moved onto large pages is that of its file" {
	# As it is told when it happens,
	run -0 moved "0x1ff000 0x300000 0" "0x200000 0x200000 -"
	[ "$output" = "[truncated];main 1" ]
	# and of a process that perf found.
	run -0 moved "0x1ff000 0x1000 0" "0x200000 0x200000 -" \
		"0x400000 0xff000 0x201000"
	[ "$output" = "[truncated];main 1" ]
}

@test "memory for code where a file was is not that file" {
	run -0 moved "0x1ff000 0x300000 0" "0x200000 0x1ff000 -"
	[ "$output" = "[perf-7.map] 1" ]
	run -0 moved "0x1ff000 0x200000 0" "0x200000 0x200000 -"
	[ "$output" = "[perf-7.map] 1" ]
	run -0 moved "0x1ff000 0x1000 0" "0x200000 0x200000 -" \
		"0x400000 0xff000 0x200000"
	[ "$output" = "[perf-7.map] 1" ]
}

@test "a program that lost its build-id since is another one" {
	local data=$BATS_TEST_TMPDIR/data file=$BATS_TEST_TMPDIR/program root

	root=$BATS_TEST_TMPDIR/root
	objcopy -R .note.gnu.build-id "$top_builddir/t/programs/cpu" "$file"
	mkdir -p "$root${file%/*}"
	cp "$file" "$root$file"
	{
		echo "10 0x4002 4:7 4:7 8:0x300000 8:0x100000 8:0" \
			"1:20 3:0 8:1 8:2 4:3 4:5 4:0 128:'$file 4:7 4:7 8:0"
		chains 1 "$((0x300000 + 0x$(nm "$file" |
			sed -n 's/ T main$//p')))"
	} | recording >"$data"
	run -0 --separate-stderr stackcollapse-perf --root none "$data"
	[ "$output" = "[program] 1" ]
	[[ $stderr == *"program changed since the recording"* ]]
	# Below another root it may be all that there is.
	run -0 stackcollapse-perf -q --root none --symfs "$root" "$data"
	[ "$output" = "[truncated];main 1" ]
}

# made NAME: copies of stacks in memory that is no file's, with a frame pointer
# that points nowhere, of a process of this name.
made() {
	local i zeros

	zeros=$(yes 8:0 | head -n 16 | tr '\n' ' ')
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:128 36:0"
		echo "80 0 8:6 4:64 64:'x86_64"
		echo "3 0 4:7 4:7 16:'$1 4:7 4:7 8:0"
		echo "1 2 4:7 4:7 8:0x400000 8:0x1000 8:0 8:'//anon 4:7 4:7 8:0"
		for ((i = 0; i < 4; i++)); do
			echo "9 2 8:0x400100 4:7 4:7 8:1 8:0 8:2 8:0x123" \
				"8:0x7000 8:0x400100 8:128 $zeros 8:128"
		done
	} | "$top_builddir/t/programs/mkperf"
}

@test "stacks that end in code of a JIT get the option of its runtime" {
	made java >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"100 % of stacks end in code made at run time, without frame pointers: java: add -XX:+PreserveFramePointer -XX:+DebugNonSafepoints"* ]]
	[[ $stderr != *65528* ]]
	made php-fpm8.2 >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"frame pointers: php: add -d opcache.jit=off"* ]]
	made other >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"made at run time, without frame pointers"$'\n'* ]]
}
