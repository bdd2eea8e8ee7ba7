#!/usr/bin/env bats
# house.bats - what holds for all commands; a new one adds no test here.

load ../helper

manual() {
	find "$top_srcdir/cmd" -name "$1.1"
}

# The long options --help prints, and those the manual has an item for.
helped_options() {
	"$1" --help | sed -n 's/^  *\(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' |
		sort -u
}

# What all collapsers share is documented once, in stackcollapse(1), and where
# a manual lists it itself, whole.
documented_options() {
	{
		cat "$(manual "$1")"
		case $1 in
		stackcollapse-*)
			grep -qx '\.It Fl -pid' "$(manual "$1")" ||
				sed -n '/^\.Ss Shared options/,/^\.Sh/p' \
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
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/{/^[A-Z]/!p;}' | flat
}

# Which other manuals are installed is the machine's business.
@test "every manual is silent under mandoc -T lint" {
	cd "$top_srcdir"
	commands | while read -r name; do manual "$name"; done | xargs mandoc -T lint man/*.[1-8] \
		>"$BATS_TEST_TMPDIR/lint" 2>"$BATS_TEST_TMPDIR/lint.err" || :
	run ! grep -hv -e 'referenced manual not found' \
		-e 'outdated mandoc.db' "$BATS_TEST_TMPDIR"/lint*
}

options_agree() {
	diff <(helped_options "$1") <(documented_options "$1") >&2
}

@test "a manual has the options that --help prints, and no others" {
	for_all options_agree
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

	for option in --help --version; do
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

	for library in 'xxhash.h' 'uthash.h' 'zlib.h' 'zstd.h' 'pcre2.h' \
		'json' 'libelf.h|gelf.h' 'elfutils/libdw.h|dwarf.h' \
		'elfutils/libdwfl.h' '(libiberty/)?demangle.h'; do
		file=$(cd "$top_srcdir" && grep -lE \
			"^[[:space:]]*#[[:space:]]*include[[:space:]]*<($library)" \
			lib/*/*.[ch] cmd/*.[ch] cmd/*/*.[ch] 2>/dev/null) || continue
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
		demangle_stub) module=demangle ;;
		# One table of a machine each; arch-internal.h declares them.
		aarch64 | i386 | riscv64 | x86_64) module=arch ;;
		esac
		[ -e "$top_srcdir/${object%.o}.c" ] || continue
		nm -g --defined-only "$object" | awk -v module="$module" \
			'NF == 3 && $3 !~ "^(__|" module "(_|$))" {
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
