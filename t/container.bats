#!/usr/bin/env bats
# container.bats - what stackcollapse-perf finds of processes in containers.

load helper

setup() {
	process=
	dir=
}

teardown() {
	[ -z "$process" ] || kill -KILL "$process" 2>/dev/null
	wait 2>/dev/null || :
	[ -z "$dir" ] || rm -r "$dir"
}

# contain COMMAND [FILE]: run a command, with the file as its descriptor 4, and
# wait, as process 1 of new name spaces with a /tmp of its own; $inner is its
# number out here.
contain() {
	local ready=$BATS_TEST_TMPDIR/ready

	mkfifo "$ready"
	unshare --user --map-root-user --mount --pid \
		--kill-child sh -c "
		exec 4<'${2:-/dev/null}'
		mount -t tmpfs none /tmp && $1 && echo yes >&3 || exit
		exec sleep 60 3>&-" >/dev/null 2>&1 3>"$ready" &
	process=$!
	grep -q yes "$ready" || skip "not allowed to make name spaces"
	inner=$(cat "/proc/$process/task/$process/children")
	inner=${inner% }
}

# A recording of that process, of lines for t/mkperf; PID stands for it.
recording() {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x40000 80:0"
		sed "s/PID/4:$inner 4:$inner/g; s/#.*//"
	} | "$top_builddir/t/mkperf" >"$BATS_TEST_TMPDIR/data"
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

@test "programs are those of the process, not what is at their path out here" {
	local at file=$top_builddir/t/naps

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
	[ "$output" = "burn 1" ]
}

@test "--root cgroup is the control group that was recorded" {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x200007 8:0 8:0x40000 80:0"
		echo "19 0 8:4711 24:'/system.slice/x.service 4:0 4:0 8:0"
		echo "9 2 8:16 PID 8:1000 8:4711"
		echo "9 2 8:16 PID 8:1001 8:4712"
	} | sed "s/PID/4:7 4:7/" | "$top_builddir/t/mkperf" \
		>"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --root cgroup,pid \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = '/system.slice/x.service;pid-7;[unknown] 1
pid-7;[unknown] 1' ]
}
