#!/usr/bin/env bats
# inline.bats - what stackcollapse-perf promises of inlined functions and
# source lines of recordings.

load ../helper

setup_file() {
	export SYMFS=$BATS_FILE_TMPDIR/symfs
	export RECORDING=$BATS_FILE_TMPDIR/inlined.data
	export PROGRAM=$SYMFS/tmp/fold/inlined

	mkdir -p "${PROGRAM%/*}"
	xz -dc "$DATA/inline/inlined.xz" >"$PROGRAM"
	xz -dc "$DATA/inline/inlined.data.xz" >"$RECORDING"
}

fold() {
	stackcollapse-perf -q --symfs "$SYMFS" "$@" "$RECORDING"
}

# What is expected without the frames that are not of the program.
frames() {
	sed 's/^inlined;.truncated.;.libc.so.6.;//'
}

@test "inlined functions are frames, the innermost towards the leaf" {
	local in='main;call_[i];spin' lambda='spin::{lambda}::operator()_[i]'

	in+=';repeat<spin(unsigned int)::<lambda(unsigned int)> >_[i]'
	cat >"$BATS_TEST_TMPDIR/expected" <<-END
		$in 50505050
		$in;$lambda;(anonymous namespace)::Hidden::twice_[i];app::step_[i] 40404040
		$in;$lambda;app::Mixer::mix_[i] 40404040
		$in;$lambda;app::Mixer::mix_[i];app::step_[i] 10101010
	END
	fold | frames | diff -u "$BATS_TEST_TMPDIR/expected" - >&2
	fold --inline | frames | diff -u "$BATS_TEST_TMPDIR/expected" - >&2
}

@test "without inlined frames all is as with --no-inline" {
	run -0 fold --no-inline
	[ "$(frames <<<"$output")" = "main;spin 141414140" ]
	fold | sed 's/;[^;]*_\[i\]//g' | foldmerge |
		diff -u <(echo "$output") - >&2
}

@test "--srcline and --context add files and lines" {
	local in='main:inlined.cc:41;call:inlined.cc:36_[i];spin:inlined.cc:33'

	in+=';repeat<spin(unsigned int)::<lambda(unsigned int)> >'
	run -0 fold --srcline
	[ "$(frames <<<"${lines[0]}")" = "$in:inlined.cc:25_[i] 40404040" ]
	[[ $output == *";spin::{lambda}::operator():inlined.cc:33_[i];"* ]]
	[[ $output == *";app::step:inlined.cc:8_[i] "* ]]
	fold --context | diff -u <(echo "$output") - >&2
	# Of an address without its inlined functions, the innermost line.
	run -0 fold --no-inline --srcline
	[[ $output == *";main:inlined.cc:36;spin:inlined.cc:25 "* ]]
	[[ $output != *"_[i]"* ]]
}

@test "--no-demangle leaves names of inlined functions as they are" {
	run -0 fold --no-demangle
	[[ $output == *";_ZN3app4stepEj_[i] "* ]]
}

@test "debug files are read, by build-id and by link, compressed too" {
	local symfs=$BATS_TEST_TMPDIR/symfs id dir=tmp/fold debug

	fold >"$BATS_TEST_TMPDIR/expected"
	mkdir -p "$symfs/$dir"
	objcopy --only-keep-debug "$PROGRAM" "$symfs/$dir/inlined.debug"
	(cd "$symfs/$dir" && objcopy -S --add-gnu-debuglink=inlined.debug \
		"$PROGRAM" inlined)
	SYMFS=$symfs fold | diff -u "$BATS_TEST_TMPDIR/expected" - >&2

	id=$(readelf -n "$PROGRAM" | sed -n 's/.*Build ID: //p')
	debug=$symfs/usr/lib/debug/.build-id/${id:0:2}
	mkdir -p "$debug"
	objcopy --compress-debug-sections=zlib "$symfs/$dir/inlined.debug" \
		"$debug/${id:2}.debug"
	rm "$symfs/$dir/inlined.debug"
	SYMFS=$symfs fold | diff -u "$BATS_TEST_TMPDIR/expected" - >&2

	rm "$debug/${id:2}.debug"
	run -0 stackcollapse-perf -q --symfs "$symfs" "$RECORDING"
	[[ $output != *"_[i]"* ]]
}

@test "debug information that dwz took out of a debug file is found" {
	local symfs=$BATS_TEST_TMPDIR/symfs dir=tmp/fold path

	command -v dwz >/dev/null || skip "no dwz"
	fold >"$BATS_TEST_TMPDIR/expected"
	mkdir -p "$symfs/$dir"
	for path in "/$dir/shared.debug" shared.debug; do
		cd "$symfs/$dir"
		objcopy --only-keep-debug "$PROGRAM" inlined.debug
		cp inlined.debug other.debug
		dwz -m shared.debug -M "$path" inlined.debug other.debug
		objcopy -S --add-gnu-debuglink=inlined.debug "$PROGRAM" inlined
		readelf -SW inlined.debug | grep -q gnu_debugaltlink
		SYMFS=$symfs fold | diff -u "$BATS_TEST_TMPDIR/expected" - >&2
	done
	# Without it names are missing, and with another one wrong: of another
	# program, or of another build.
	mv shared.debug build.debug
	path=$(readelf -WS build.debug |
		sed -n 's/.* \.note\.gnu\.build-id *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	printf other |
		dd of=build.debug bs=1 seek=$((0x$path + 16)) conv=notrunc status=none
	for path in inlined.debug build.debug; do
		cp "$path" shared.debug
		run -0 stackcollapse-perf -q --symfs "$symfs" "$RECORDING"
		[[ $output == *";main;"* ]]
		[[ $output != *"app::step"* ]]
	done
	rm shared.debug
	mkfifo shared.debug
	run -0 timeout 10 stackcollapse-perf -q --symfs "$symfs" "$RECORDING"
	[[ $output == *";main;"* ]]
}

@test "a return address is looked up at its call, exact ones as they are" {
	run -0 fold --srcline
	[[ $output == *";main:inlined.cc:41;call:inlined.cc:36_[i];"* ]]
	# What is at the address itself belongs to no inlined call.
	run -0 fold --srcline --caller-address exact
	[[ $output == *";main:inlined.cc:41;spin:inlined.cc:33;"* ]]
}

# perf script text: what is inlined is looked for in the files that it names.

fold_text() {
	stackcollapse-perf -q --inline --symfs "$SYMFS" "$@"
}

# The program's addresses as those of a process, which later perfs print.
of_process() {
	local line address rest

	while IFS= read -r line; do
		read -r address rest <<<"$line"
		[[ $line != *'/inlined)' ]] ||
			printf -v line '\t%x %s' \
				$((0x$address + 0x55d0c0ffe000)) "$rest"
		printf '%s\n' "$line"
	done
}

without_offsets() {
	sed 's/+0x[0-9a-f]* (/ (/'
}

@test "text has the frames of the recording with --inline" {
	local text=$DATA/inline/inlined.txt option

	for option in --inline --context --srcline; do
		fold $option | frames >"$BATS_TEST_TMPDIR/expected"
		fold_text $option "$text" | sed 's/^inlined;.libc.so.6.;//' |
			diff -u "$BATS_TEST_TMPDIR/expected" - >&2
	done
	# Names of functions that are not inlined stay as they were printed.
	run -0 fold_text --no-demangle "$text"
	[[ $output == *";main;call_[i];spin;"*";_ZN3app4stepEj_[i] "* ]]
}

@test "text may have addresses of the process, or no offsets" {
	local text=$DATA/inline/inlined.txt

	local expected

	expected=$(fold_text "$text")
	of_process <"$text" >"$BATS_TEST_TMPDIR/moved"
	diff -u <(echo "$expected") <(fold_text "$BATS_TEST_TMPDIR/moved") >&2
	without_offsets <"$text" | fold_text |
		diff -u <(echo "$expected") - >&2
	# These together do not tell where in the file they are.
	expected=$(stackcollapse-perf -q "$text")
	without_offsets <"$BATS_TEST_TMPDIR/moved" | fold_text |
		diff -u <(echo "$expected") - >&2
}

@test "what perf script printed as inlined is not looked for again" {
	run -0 fold_text <<-'END'
		inlined 1 1.0: 1 cpu-clock:
		        11ce app::step (inlined)
		        11ce spin+0x3e (/tmp/fold/inlined)
	END
	[ "$output" = "inlined;spin;app::step_[i] 1" ]
}

@test "another file than that of the text is not used, and that is said" {
	local symfs=$BATS_TEST_TMPDIR/symfs text=$DATA/inline/inlined.txt

	mkdir -p "$symfs/tmp/fold"
	printf 'int main(void) { return 0; }\n' |
		gcc -g -x c -o "$symfs/tmp/fold/inlined" -
	run -0 --separate-stderr stackcollapse-perf --inline \
		--symfs "$symfs" "$text"
	[ "$output" = "inlined;[libc.so.6];main;spin 141414140" ]
	[[ $stderr == *"/tmp/fold/inlined differs from the recorded file"* ]]
	rm "$symfs/tmp/fold/inlined"
	run -0 --separate-stderr stackcollapse-perf --inline \
		--symfs "$symfs" "$text"
	[ "$output" = "inlined;[libc.so.6];main;spin 141414140" ]
	[[ $stderr == *"/tmp/fold/inlined: not found, so no inlined"* ]]
}

@test "split units: a package has them, what is missing is said once" {
	local start text=$BATS_TEST_TMPDIR/text

	command -v llvm-dwp >/dev/null || skip "no llvm-dwp"
	cd "$BATS_TEST_TMPDIR"
	cat >split.c <<-'END'
	static inline __attribute__((always_inline)) int twice(int n) {
		volatile int i = n * 2;
		return i;
	}
	int main(int argc, char *argv[]) { return twice(argc) + twice(7); }
	END
	# Of small units of gcc in DWARF 5, llvm-dwp 14 never ends.
	"${CC:-cc}" -O1 -g -gdwarf-4 -gsplit-dwarf -o split split.c
	timeout 60 llvm-dwp -e split -o split.dwp
	rm ./*.dwo
	start=$(nm split | awk '$3 == "main" { print $1 }')
	for _ in 1 2; do
		printf 'split 1 1.0: 1 cpu-clock:\n\t%x main+0x4 (%s)\n\n' \
			$((0x$start + 4)) "$PWD/split"
	done >"$text"
	run -0 --separate-stderr stackcollapse-perf --inline "$text"
	[ "$output" = "split;main;twice_[i] 2" ]
	[[ $stderr != *split.dw* ]]
	rm split.dwp
	run -0 --separate-stderr stackcollapse-perf --inline --srcline "$text"
	[[ $output == "split;main:split.c:"[0-9]" 2" ]]
	[ "$(grep -c 'no inlined functions of 1 compilation unit,' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *".dwo was not found: keep .dwo files, or a .dwp package"* ]]
}

@test "the Perl script's --inline has the same functions" {
	local perl

	perl=$(command -v stackcollapse-perf.pl) &&
		head -n 1 "$perl" | grep -q perl ||
		skip "no stackcollapse-perf.pl of FlameGraph in PATH"
	sed "s|(/tmp|($SYMFS/tmp|" "$DATA/inline/inlined.txt" \
		>"$BATS_TEST_TMPDIR/text"
	# It has return types, arguments and other lambdas; so depth is compared.
	perl "$perl" --inline "$BATS_TEST_TMPDIR/text" >"$BATS_TEST_TMPDIR/perl"
	cat "$BATS_TEST_TMPDIR/perl"
	diff -u <(awk -F';' '{ print NF }' "$BATS_TEST_TMPDIR/perl" | sort) \
		<(fold_text --symfs / "$BATS_TEST_TMPDIR/text" |
			awk -F';' '{ print NF }' | sort) >&2
}

@test "a program that is cut or changed ends with a status" {
	local symfs=$BATS_TEST_TMPDIR/symfs

	mkdir -p "$symfs/tmp/fold"
	# shellcheck disable=SC2016 # for sh
	TMPDIR=$BATS_TEST_TMPDIR "$top_builddir/t/programs/hostile" "$PROGRAM" sh -c '
		cat >"$1/tmp/fold/inlined" &&
		exec stackcollapse-perf -q --srcline --symfs "$1" "$2"
	' sh "$symfs" "$RECORDING"
}

@test "text that is cut or changed ends with a status" {
	TMPDIR=$BATS_TEST_TMPDIR "$top_builddir/t/programs/hostile" \
		"$DATA/inline/inlined.txt" \
		stackcollapse-perf -q --context --symfs "$SYMFS"
}
