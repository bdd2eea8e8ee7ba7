#!/usr/bin/env bats
# house.bats - what holds for all commands; a new one adds no test here.

load ../helper

manual() {
	find "$top_srcdir/cmd" -name "$1.1"
}

# All commands that have a manual, also those that are shell scripts.
with_manual() {
	commands
	! has_process_side || printf '%s\n' flame slowflame
}

# The long options --help=all prints, and those the manual has an item for.
helped_options() {
	"$1" --help=all | sed -n 's/^  *\(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' |
		sort -u
}

# The options of all commands are documented once, in foldstack-options(7); a
# command need not have each of them.
common_options() {
	grep -qx '\.Xr foldstack-options 7.*' \
		"$(manual "${1/#stackcollapse-*/stackcollapse}")" || return 0
	sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' \
		"$top_srcdir/man/foldstack-options.7" | sort |
		comm -12 - <(helped_options "$1") | sed 's/^/.It Fl -/'
}

# What all collapsers share is documented once, in stackcollapse(1), and where
# a manual lists it itself, whole.
documented_options() {
	{
		cat "$(manual "$1")"
		common_options "$1"
		case $1 in
		stackcollapse-*)
			grep -qx '\.It Fl -pid' "$(manual "$1")" ||
				sed -n '/^\.Sh SHARED OPTIONS/,/^\.Sh EXIT/p' \
					"$(manual stackcollapse)"
			;;
		esac
	} | grep '^\.It .*Fl -' |
		grep -oE 'Fl -[a-z][a-z0-9-]*' | sed 's/^Fl -//' | sort -u
}

# One line, single blanks.
flat() {
	tr -s ' \t\n' ' ' | sed 's/^ //; s/ $//'
}

manual_synopsis() {
	mandoc -T ascii "$(manual "$1")" | sed 's/.\x08//g' |
		sed -n '/^SYNOPSIS/,/^[ED][XE]/{/^[A-Z]/!p;}' | flat
}

# Which other manuals are installed is the machine's business.  In the manuals of
# the main commands examples come first, which mandoc does not expect.
@test "every manual is silent under mandoc -T lint" {
	cd "$top_srcdir"
	with_manual | while read -r name; do manual "$name"; done | xargs mandoc -T lint man/*.[1-8] \
		>"$BATS_TEST_TMPDIR/lint" 2>"$BATS_TEST_TMPDIR/lint.err" || :
	run ! grep -hv -e 'referenced manual not found' \
		-e 'outdated mandoc.db' \
		-e 'sections out of conventional order: Sh DESCRIPTION' \
		"$BATS_TEST_TMPDIR"/lint*
}

options_agree() {
	diff <(helped_options "$1") <(documented_options "$1") >&2
}

@test "a manual has the options that --help prints, and no others" {
	for_all options_agree with_manual
}

synopsis_agrees() {
	diff <("$1" --help | sed -n '1s/^usage: //p' | flat) \
		<(manual_synopsis "$1") >&2
}

@test "a manual's synopsis is the usage line of --help" {
	for_all synopsis_agrees
}

answers() {
	local option

	for option in --help --help=all --version; do
		run -0 --separate-stderr "$1" $option </dev/null || return 1
		[ -n "$output" ] && [ -z "$stderr" ] || return 1
	done
}

@test "--help and --version go to standard output, with status 0" {
	for_all answers
}

refuses() {
	run -2 --separate-stderr "$1" --no-such-option </dev/null || return 1
	[ -z "$output" ] && [[ $stderr == "$1: "*$'\nusage: '* ]]
}

@test "an unknown option is status 2, with the usage on standard error" {
	for_all refuses
}

# The commands that most people use.
main_commands() {
	with_manual | grep -x -e flame -e flamegraph -e folddiff -e foldsplit \
		-e foldtop -e slowflame -e stackcollapse -e stackcollapse-perf \
		-e stackrecord -e stacksample
}

fits_a_screen() {
	"$1" --help >"$BATS_TEST_TMPDIR/main" &&
		"$1" --help=all >"$BATS_TEST_TMPDIR/all" &&
		awk 'length > 80 || NR > 24 { print; bad = 1 }
			END { exit bad }' "$BATS_TEST_TMPDIR/main" &&
		tail -n 1 "$BATS_TEST_TMPDIR/main" | grep -qxF \
			"More options: $1 --help=all.  Manual: $1(1)." &&
		! grep -vxFf "$BATS_TEST_TMPDIR/all" "$BATS_TEST_TMPDIR/main" |
			grep '^ *-'
}

@test "--help of the main commands fits a screen, --help=all has all options" {
	for_all fits_a_screen main_commands
}

wide_help() {
	"$1" --help=all | awk 'length > 80 { print; bad = 1 } END { exit bad }'
}

@test "--help=all has lines of at most 80 columns" {
	for_all wide_help
}

checks_help_write() {
	run -2 bash -c "'$1' --help >/dev/full"
}

checks_writes() {
	local sample options

	sample=$(sample_of "$1") || return 1
	options=$(options_of "$sample")
	run -0 bash -c "'$1' $options '$sample'" &&
		run -2 bash -c "'$1' $options '$sample' >/dev/full"
}

@test "a write that fails is status 2" {
	for_all checks_help_write
	for_all checks_writes filters
}

# The reader of the pipe is gone before the command writes; env undoes what a
# CI runner may have set, which a shell cannot.
dies_quietly() {
	local log=$BATS_TEST_TMPDIR/stderr pipe=$BATS_TEST_TMPDIR/pipe
	local sample options status=0

	sample=$(sample_of "$1") || return 1
	read -ra options <<<"$(options_of "$sample")"
	mkfifo "$pipe"
	: <"$pipe" 3>&- &
	exec 8>"$pipe"
	wait $! # nobody reads any more
	rm "$pipe"
	env --default-signal=PIPE "$1" -q "${options[@]}" "$sample" >&8 2>"$log" || status=$?
	exec 8>&-
	[ $status -eq 141 ] && [ ! -s "$log" ]
}

@test "SIGPIPE ends a command without a word" {
	for_all dies_quietly filters
}

@test "includes point down" {
	run -0 "$top_srcdir/build-aux/layers"
	[ -z "$output" ]
}

@test "messages and help texts are in plain words" {
	run -0 "$top_srcdir/build-aux/messages" --dialect
	[ -z "$output" ]
}

@test "a message in our dialect is found" {
	mkdir -p "$BATS_TEST_TMPDIR/lib" "$BATS_TEST_TMPDIR/cmd"
	cat >"$BATS_TEST_TMPDIR/lib/a.c" <<-'END'
		/* A comment may say that a line is left out. */
		void f(void)
		{
			warnx("%s: %" PRIu64 " lines "
			      "were not understood", name, n);
			warnx("%s: %" PRIu64 " lines skipped", name, n);
		}
	END
	run -0 "$top_srcdir/build-aux/messages" "$BATS_TEST_TMPDIR"
	[ "${#lines[@]}" -eq 2 ]
	run -1 "$top_srcdir/build-aux/messages" --dialect "$BATS_TEST_TMPDIR"
	[ "$output" = "lib/a.c:4: %s: %u lines were not understood" ]
}

@test "an include that points up is found" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/build-aux"
	cp "$top_srcdir/build-aux/layers" "$tree/build-aux"
	cp -R "$top_srcdir/lib" "$tree"
	chmod -R u+w "$tree"
	echo '#include "folded/fold.h"' >>"$tree/lib/io/input.h"
	run -1 "$tree/build-aux/layers"
	[[ $output == *"lib/io/input.h includes folded/fold.h"* ]]
}

# uthash is macros: its one file has to be a header.
@test "a foreign library is seen by one file, and by no header of ours" {
	local library file failed=0

	for library in 'xxhash.h' 'uthash.h' 'zlib.h' 'libdeflate.h' 'zstd.h' 'pcre2.h' \
		'json' 'libelf.h|gelf.h' 'elfutils/libdw.h|dwarf.h' \
		'elfutils/libdwfl.h' '(libiberty/)?demangle.h'; do
		file=$(cd "$top_srcdir" && grep -lE \
			"^[[:space:]]*#[[:space:]]*include[[:space:]]*<($library)" \
			lib/*/*.[ch] cmd/*.[ch] cmd/*/*.[ch] 2>/dev/null) || continue
		# DWARF has entries, and places and types of variables.
		[ "$file" != $'lib/elf/die.c\nlib/elf/variable.c' ] || continue
		if [ "$(wc -l <<<"$file")" -ne 1 ] || [[ $file != *.c &&
			$library$file != uthash.hlib/base/table.h ]]; then
			echo "# <$library> is included by ${file//$'\n'/, }"
			failed=1
		fi
	done
	[ $failed -eq 0 ]
}

# Names that begin with two underscores are the sanitizers'; assets and the
# table of system calls are generated.
@test "a global name begins with the name of its file" {
	local object module

	cd "$top_builddir"
	for object in lib/*/*.o; do
		module=$(basename "$object" .o)
		case $module in
		assets | callnames) continue ;;
		message) module='v?(err|warn)x?|message' ;; # for libc's
		demangle_stub) module=demangle ;;
		# One table of a machine each; arch-internal.h declares them.
		aarch64 | i386 | riscv64 | x86_64) module=arch ;;
		esac
		[ -e "$top_srcdir/${object%.o}.c" ] || continue
		nm -g --defined-only "$object" | awk -v module="$module" \
			'NF == 3 && $3 !~ "^(__|(" module ")(_|$))" {
				print module ": " $3
				bad = 1
			}
			END { exit bad }'
	done
}

@test "every .c of lib has a header of its name" {
	local file

	cd "$top_srcdir"
	for file in lib/*/*.c; do
		case $file in
		lib/cli/assets.c | lib/demangle/demangle_stub.c) ;;
		lib/arch/*) [ -e lib/arch/arch-internal.h ] ;;
		*) [ -e "${file%c}h" ] || [ -e "${file%.c}-internal.h" ] || {
			echo "# $file"
			return 1
		} ;;
		esac
	done
}

@test "tags of structs are unique in the tree" {
	cd "$top_srcdir"
	run -0 sh -c 'sed -nE "s/^(struct|enum|union) ([a-z0-9_]+) \{.*/\2/p" \
		lib/*/*.[ch] cmd/*.c cmd/*/*.c | sort | uniq -d'
	[ -z "$output" ]
}

@test "lib/sources.am is what build-aux/sources writes" {
	run -0 "$top_srcdir/build-aux/sources"
	diff "$top_srcdir/lib/sources.am" - <<<"$output"
}

# Sanitizers have names that begin with two underscores.
has_only_main() {
	local object

	object=$(find "$top_builddir/cmd" -name "$1.o")

	[ "$(nm -g --defined-only "$object" |
		awk '$3 !~ /^__/ { print $3 }')" = main ]
}

@test "a command has one global symbol, main" {
	for_all has_only_main
}

@test "every test file loads the helper" {
	local file

	for file in "$top_srcdir"/t/*.bats "$top_srcdir"/t/*/*.bats; do
		echo "# $file"
		grep -qxE 'load (../)?helper' "$file"
	done
}

@test "--version names the files of the libraries that are used" {
	run -0 foldgrep --version
	[[ ${lines[0]} == "foldgrep (foldstack) "[0-9]* ]]
	[[ $output != */* ]]
	! ldd "$(command -v foldgrep)" | grep -q pcre2 ||
		[[ $output == *libpcre2-8.so.* ]]
}

@test "the folder that all is built in may have a blank in its name" {
	# shellcheck disable=SC2016 # make's
	run -0 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s \
		-C "$top_builddir" --eval 'flags: ; @printf "%s\n" $(AM_CPPFLAGS)' \
		abs_srcdir='/a b' flags
	[[ $output == *$'\n-iquote\n/a b/lib' ]]
}

@test "libiberty's headers may be where Fedora and openSUSE have them" {
	local header compile

	[ -e /usr/include/libiberty/demangle.h ] || skip "no libiberty-dev"
	mkdir -p "$BATS_TEST_TMPDIR/root/usr/include"
	cd "$BATS_TEST_TMPDIR/root/usr/include"
	for header in /usr/include/* /usr/include/libiberty/*; do
		[ "$header" = /usr/include/libiberty ] || ln -sf "$header" .
	done
	# shellcheck disable=SC2016 # make's
	compile=$(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s \
		-C "$top_builddir" --eval 'flags: ; @echo '\''$(CC) $(DEFS) $(AM_CPPFLAGS) -std=gnu11'\' \
		flags)
	eval "$compile --sysroot='$BATS_TEST_TMPDIR/root' -fsyntax-only" \
		"'$top_srcdir/lib/demangle/demangle.c'"
}

@test "README fits on 900 words" {
	[ "$(wc -w <"$top_srcdir/README.md")" -le 900 ]
}
