#!/usr/bin/env bats
# container.bats - what is found of processes in containers, by
# stackcollapse-perf and jitsym.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	processes=()
	numbers=--pid
	dir=
}

teardown() {
	[ "${#processes[@]}" -eq 0 ] || kill -KILL "${processes[@]}" 2>/dev/null
	wait 2>/dev/null || :
	[ -z "$dir" ] || rm -r "$dir"
}

# contain COMMAND [FILE]: run a command, with the file as its descriptor 4, and
# wait, as process 1 of new name spaces with a /tmp of its own; $inner is its
# number out here.  Without $numbers it is the same in there.
contain() {
	local ready=$BATS_TEST_TMPDIR/ready process

	rm -f "$ready"
	mkfifo "$ready"
	unshare --user --map-root-user --mount ${numbers:+"$numbers"} \
		--kill-child sh -c "
		exec 4<'${2:-/dev/null}'
		mount -t tmpfs none /tmp && $1 && echo yes >&3 || exit
		exec sleep 60 3>&-" >/dev/null 2>&1 3>"$ready" &
	process=$!
	processes+=("$process")
	grep -q yes "$ready" || skip "not allowed to make name spaces"
	inner=$(cat "/proc/$process/task/$process/children")
	inner=${inner% }
}

# A recording of that process, of lines for t/programs/mkperf; PID stands for it.
recording() {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x40000 80:0"
		sed "s/PID/4:$inner 4:$inner/g; s/#.*//"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
}

sample() {
	echo "9 2 8:$1 PID 8:1000 8:2 8:0xfffffffffffffe00 8:$1"
}

@test "maps of JIT code are those of the process, by its number in there" {
	# shellcheck disable=SC2016 # for the inner shell
	contain 'echo "100000 1000 in_there" >/tmp/perf-$$.map'
	[ -n "$inner" ]
	{
		echo "1 2 PID 8:0x100000 8:0x1000 8:0 8:'//anon PID 8:0"
		sample 0x100010
	} | recording
	run -0 --separate-stderr stackcollapse-perf --root none --jit \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = "in_there_[j] 1" ]
}

@test "a map that is not believed is said, and can be believed" {
	contain 'cd /tmp && echo "100000 1000 f" >g && ln -s g perf-1.map'
	{
		echo "1 2 PID 8:0x100000 8:0x1000 8:0 8:'//anon PID 8:0"
		sample 0x100010
	} | recording
	run -0 --separate-stderr stackcollapse-perf --root none \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = "[perf-$inner.map] 1" ]
	[[ $stderr == *"/tmp/perf-1.map: it is a symbolic link; not used, see --trust-maps"* ]]
	run -0 --separate-stderr stackcollapse-perf --root none --trust-maps \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = "f 1" ]
	[ -z "$stderr" ]
}

@test "stacksample says so of a process that runs, and can believe it" {
	contain 'cd /tmp && echo "100000 1000 f" >g && ln -s g perf-1.map'
	run -0 --separate-stderr stacksample -d 0.1 -p "$inner"
	[[ $stderr == *"/tmp/perf-1.map: it is a symbolic link; not used, see --trust-maps"* ]]
	run -0 --separate-stderr stacksample -d 0.1 --trust-maps -p "$inner"
	[ -z "$stderr" ]
}

@test "a jitdump is that of the process, too" {
	local at="PID 8:0x200000 8:0x1000 8:0"

	echo 'load 10 100000 64 1 made_in_there' |
		"$top_builddir/t/jit/jittest" write 1 >"$BATS_TEST_TMPDIR/dump"
	contain 'cat <&4 >/tmp/jit-1.dump' "$BATS_TEST_TMPDIR/dump"
	{
		echo "1 2 $at 32:'/tmp/jit-1.dump PID 8:0"
		sample 0x100010
	} | recording
	run -0 stackcollapse-perf -q --root none --jit "$BATS_TEST_TMPDIR/data"
	[ "$output" = "made_in_there_[j] 1" ]
}

@test "processes of one number in there have names of their own" {
	local first

	contain 'echo "100000 1000 one" >/tmp/perf-1.map'
	first=$inner
	contain 'echo "100000 1000 two" >/tmp/perf-1.map'
	printf 'x-%s;[anon <100010>] 1\n' "$first" "$inner" >in
	run -0 --separate-stderr jitsym in
	[ "$output" = "x-$first;one 1
x-$inner;two 1" ]
	[ -z "$stderr" ]
}

@test "files may be its own where its number is not" {
	numbers=
	# shellcheck disable=SC2016 # for the inner shell
	contain 'echo "100000 1000 private" >/tmp/perf-$$.map'
	[ ! -e "/tmp/perf-$inner.map" ]
	echo "x-$inner;[anon <100010>] 1" >in
	run -0 --separate-stderr jitsym in
	[ "$output" = "x-$inner;private 1" ]
}

@test "programs are those of the process, not what is at their path out here" {
	local at file=$top_builddir/t/programs/naps

	dir=$(mktemp -d /tmp/foldstack.XXXXXX)
	contain "mkdir $dir && cat <&4 >$dir/x" "$file"
	[ -n "$inner" ]
	# Out here a program without symbols is at the path.
	strip -s -R .note.gnu.build-id -o "$dir/x" "$file"
	at=$(nm "$file" | awk '$3 == "burn" { print "0x" $1 }')
	{
		echo "1 2 PID 8:0x400000 8:0x100000 8:0 64:'$dir/x PID 8:0"
		sample $((0x400000 + at))
	} | recording
	run -0 --separate-stderr stackcollapse-perf --root none --no-inline \
		"$BATS_TEST_TMPDIR/data"
	# The chain has no caller.
	[ "$output" = "[truncated];burn 1" ]
}

@test "--root cgroup is the control group that was recorded" {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x200007 8:0 8:0x40000 80:0"
		echo "19 0 8:4711 24:'/system.slice/x.service 4:0 4:0 8:0"
		echo "9 2 8:16 PID 8:1000 8:4711"
		echo "9 2 8:16 PID 8:1001 8:4712"
	} | sed "s/PID/4:7 4:7/" | "$top_builddir/t/programs/mkperf" \
		>"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --root cgroup,pid \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = '/system.slice/x.service;pid-7;[unknown] 1
pid-7;[unknown] 1' ]
}
