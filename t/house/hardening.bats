#!/usr/bin/env bats
# hardening.bats - programs are built with what makes errors of memory harder to
# use, unless configure was told otherwise or sanitizers are there instead.

load ../helper

setup() {
	grep -q '^HARD_LDFLAGS = -pie' "$top_builddir/Makefile" ||
		skip "built without hardening"
	command -v readelf >/dev/null || skip "no readelf"
}

# hard COMMAND: position-independent, relocations read-only and at the start.
hard() {
	local file head dynamic

	file=$(find "$top_builddir/cmd" -name "$1" -type f)

	head=$(readelf -hW "$file")
	dynamic=$(readelf -ldW "$file")
	[[ $head == *"Type: "*DYN* && $dynamic == *GNU_RELRO* &&
		$dynamic == *NOW* ]] &&
		! grep -qE 'GNU_STACK.* RWE ' <<<"$dynamic"
}

@test "every command can lie anywhere, and is read-only after it began" {
	local command

	for command in $(commands); do
		hard "$command" || {
			echo "# $command is not hardened"
			return 1
		}
	done
}

@test "functions with arrays look whether their frame was overwritten" {
	readelf -sW "$top_builddir/cmd/collapse/stackcollapse-perf" |
		grep -q __stack_chk_fail
}

@test "calls of the C library know the size of what they write to" {
	readelf -sW "$top_builddir/cmd/collapse/stackcollapse-perf" |
		grep -qE '__(v?snprintf|memcpy|fprintf|printf|vfprintf|read)_chk'
}
