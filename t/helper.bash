# helper.bash - what all tests share; every .bats file loads it.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# make says where the trees are; "bats t" at the top of a built one works too.
: "${top_srcdir:=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)}"
: "${top_builddir:=$top_srcdir}"

# Shared test data that is not ours to ship; tests that use it skip without.
: "${SHARED:=$top_srcdir/../shared}"

# Where the commands are that are tested.
: "${command_dir:=$top_builddir/cmd}"

export top_srcdir top_builddir command_dir SHARED
export PATH=$command_dir:$command_dir/collapse:$PATH LC_ALL=C TZ=UTC
unset SOURCE_DATE_EPOCH NO_COLOR

# Palettes are found as if they were installed, and nobody's own ones are.
mkdir -p "$BATS_RUN_TMPDIR/data"
ln -sfn "$top_srcdir/share" "$BATS_RUN_TMPDIR/data/foldstack"
export HOME=$BATS_RUN_TMPDIR XDG_DATA_DIRS=$BATS_RUN_TMPDIR/data
unset XDG_CONFIG_HOME XDG_DATA_HOME

# A sanitizer would exit with 1, which is a status of ours.
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=abort_on_error=1:halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=exitcode=66

# Many tests sample programs as they run, beside others on a busy machine.  What
# fails is run once more, and is told; TEST_RETRIES=0 is for who looks for it.
export BATS_TEST_RETRIES=${TEST_RETRIES-1}
if [ "${BATS_TEST_TRY_NUMBER-1}" -gt 1 ]; then
	echo "# run again: $BATS_TEST_FILENAME, $BATS_TEST_NAME" >&3
fi

DATA=$top_srcdir/t/data

# The commands that are built, by name: those in bin, and stackcollapse's readers.
commands() {
	if has_process_side; then
		cat "$top_srcdir/Makefile.am"
	else
		sed '/^if PROCESS_SIDE$/,/^endif$/d' "$top_srcdir/Makefile.am"
	fi | sed -nE 's/^(COMMANDS|READERS) \+= cmd.//p' | sed 's|.*/||'
}

has_process_side() {
	! grep -qx 'enable_process_side = no' "$top_builddir/Makefile"
}

# need_process_side: skip the test if this is a build of the text side alone.
need_process_side() {
	has_process_side || skip "no process side in this build"
}

# The commands that read standard input: all but those that watch a process.
filters() {
	commands | grep -vx -e flame -e jvmmap -e stackrecord -e stacksample
}

# for_all FUNCTION [filters]: call it with each command's name, or each
# filter's; fails if it fails for any, and says for which.  A failure inside
# of the function does not end it.
for_all() {
	local command failed=0

	for command in $("${2:-commands}"); do
		if ! "$1" "$command"; then
			echo "# $command: $1 failed"
			failed=1
		fi
	done
	[ "$failed" -eq 0 ]
}

# again COMMAND...: what a busy machine may fail to show is looked for again.
again() {
	"$@" || "$@" || "$@" || "$@" || "$@"
}

# within_minutes COMMAND...: it succeeds, if tried often.  On a machine with sixty
# busy processes, one minute was not enough for a few tries.
within_minutes() {
	local end=$((SECONDS + 180))

	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# need_shared PATH: skip the test unless the shared data has it.
need_shared() {
	[ -e "$SHARED/$1" ] || skip "no $1 in the shared data"
}

# need_plain REASON: skip the test if sanitizers were built in.
need_plain() {
	! grep -q '^CFLAGS = .*-fsanitize' "$top_builddir/Makefile" || skip "$1"
}

# need_native: skip the test if build-aux/cross runs it.
need_native() {
	[ -z "${cross-}" ] || skip "programs are not of this machine and C library"
}

# need_static: skip the test where no static program can be linked.
need_static() {
	need_plain "sanitizers are not linked statically"
	printf '#include <bzlib.h>\n#include <lzma.h>\n' | cc -E - >/dev/null 2>&1 ||
		skip "no static libraries that libdw needs"
}

# data_of COMMAND: the inputs in t/data that the command reads, one a line.
# t/data/FORMAT belongs to stackcollapse-FORMAT, or to the command FORMAT;
# what reads no format of its own reads folded text.
data_of() {
	local dir=$DATA/${1#stackcollapse-}

	[ -d "$dir" ] || dir=$DATA/folded
	find "$dir" -name '*.in' 2>/dev/null | sort
}

# options_of INPUT: the options that INPUT.opts has for it, if there are any.
options_of() {
	cat "${1%.in}.opts" 2>/dev/null || :
}

# sample_of COMMAND: one input that makes the command print something.
sample_of() {
	local first folded=$BATS_TEST_TMPDIR/sample.folded

	first=$(data_of "$1" | head -n 1)
	[ -n "$first" ] || case $1 in
	stackcollapse-*)
		echo "no data for $1 in t/data" >&2
		return 1
		;;
	*)
		first=$folded
		;;
	esac
	printf 'main;parse;read 42\nmain;sort 7\n' >"$folded"
	if [ "$1" = folddiff ]; then
		first=$folded
		printf 'main;parse;read 42 40\nmain;sort 7 9\n' >"$folded"
	fi
	if [ "$1" = unflame ]; then
		first=$BATS_TEST_TMPDIR/sample.svg
		flamegraph "$folded" >"$first"
	fi
	printf '%s\n' "$first"
}

# golden FORMAT: every t/data/FORMAT/CASE.in gives CASE.folded, with the
# options in CASE.opts, which are words as the shell reads them.  A big
# CASE.in may be packed, CASE.in.xz.
golden() {
	local command=stackcollapse-$1 in case failed=0 cases=0
	local -a opts

	[ -e "$top_srcdir/cmd/collapse/$command.c" ] || command=$1
	for in in "$DATA/$1"/*.in "$DATA/$1"/*.in.xz; do
		[ -e "$in" ] || continue
		case=${in%.xz}
		case=${case%.in}
		if [ "$in" != "$case.in" ]; then
			xz -dc "$in" >"$BATS_TEST_TMPDIR/in"
			in=$BATS_TEST_TMPDIR/in
		fi
		opts=()
		[ ! -e "$case.opts" ] || eval "opts=($(cat "$case.opts"))"
		cases=$((cases + 1))
		if ! "$command" "${opts[@]}" "$in" >"$BATS_TEST_TMPDIR/out" \
			2>"$BATS_TEST_TMPDIR/err" ||
			! diff -u "$case.folded" "$BATS_TEST_TMPDIR/out"; then
			echo "# $command ${opts[*]} ${case##*/}.in"
			cat "$BATS_TEST_TMPDIR/err"
			failed=1
		fi
	done
	[ $cases -gt 0 ] && [ $failed -eq 0 ]
}
