#!/usr/bin/env bats
# rights.bats - which rights stacksample needs, and that it keeps no others.

load ../helper

# As <linux/capability.h> has them.
declare -gA number=([dac_read_search]=2 [setgid]=6 [setuid]=7 [net_raw]=13
	[sys_chroot]=18 [sys_ptrace]=19 [sys_nice]=23 [checkpoint_restore]=40)

# As the manual has them.
to_look='sys_ptrace dac_read_search sys_nice'
of_root="$to_look checkpoint_restore"
to_ask="$of_root setuid setgid sys_chroot"

setup() {
	target='' sampler='' dir=''
	[ -x "$command_dir/stacksample" ] || skip "the process side is not built"
	[ "$(id -u)" -eq 0 ] || skip "only root can give rights"
	(as 12345 "$to_look net_raw" true) || skip "not all rights of root"
	# Where other users can go.
	dir=$(mktemp -d /tmp/foldstack.XXXXXX)
	chmod 755 "$dir"
	cp "$command_dir/stacksample" "$top_builddir/t/programs/threads" "$dir"
}

teardown() {
	[ -z "$sampler" ] || kill -KILL "$sampler" 2>/dev/null || :
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
	rm -f "/tmp/perf-$target.map"
	[ -z "$dir" ] || rm -r "$dir"
}

# as USER "RIGHT..." COMMAND...: become a user who has these and no others.
as() {
	local user=$1 rights=-all right

	for right in $2; do
		rights+=,+$right
	done
	shift 2
	exec setpriv --reuid "$user" --regid "$user" --clear-groups \
		--inh-caps "$rights" --ambient-caps "$rights" "$@"
}

# start USER "RIGHT...": have threads to look at, $target.
start() {
	as "$@" "$dir/threads" >"$dir/log" 3>&- &
	target=$!
	disown
	until grep -qs ready "$dir/log"; do
		kill -0 "$target"
		sleep 0.01
	done
	"$dir/stacksample" -q -p "$target" -d 0.1 >/dev/null 2>"$dir/log" ||
		! grep -q 'may not' "$dir/log" ||
		skip "no right to look at processes"
}

# sample USER "RIGHT...": what such a user sees of it.
sample() {
	(as "$@" "$dir/stacksample" -q -p "$target" -F 50 -d 0.5 --folded)
}

# has_only FILE "RIGHT...": whether a process, by its /proc/PID/status, has
# these, of those that we have ourselves, and can gain no others.
has_only() {
	local ours right expected=0

	ours=$((0x$(sed -n 's/^CapPrm:\t//p' /proc/self/status)))
	for right in $2; do
		((expected |= 1 << number[$right]))
	done
	expected=$(printf '%016x' $((expected & ours)))
	grep -qx "CapPrm:.$expected" "$1"
	grep -qx "CapEff:.$expected" "$1"
	grep -qx 'CapInh:.0*' "$1"
	grep -qx 'CapAmb:.0*' "$1"
	grep -qx 'NoNewPrivs:.1' "$1"
}

# begin COMMAND...: sample with it, and keep its /proc/PID/status as $dir/status.
begin() {
	"$@" -q -p "$target" -F 50 >"$dir/out" 3>&- &
	sampler=$!
	disown
	until [ -s "$dir/out" ]; do
		kill -0 "$sampler"
		sleep 0.01
	done
	cat "/proc/$sampler/status" >"$dir/status"
}

@test "of what root may do, only what the manual names is left" {
	start 12345 ''
	# What has just begun may come to be a JVM.
	sleep 0.3
	begin "$dir/stacksample"
	has_only "$dir/status" "$of_root"
}

@test "processes of others can be seen with three capabilities, and not with less" {
	start 12345 ''
	begin as 12346 "$to_look net_raw" "$dir/stacksample"
	has_only "$dir/status" "$to_look"
	run -0 sample 12346 "$to_look"
	[[ $output == *lock_here* ]]
	run -2 sample 12346 'dac_read_search sys_nice'
	run -2 sample 12346 'sys_ptrace sys_nice'
	[[ $output == *"with CAP_SYS_PTRACE and, for other users, CAP_DAC_READ_SEARCH"* ]]
}

@test "those of one's own with more capabilities can be seen with CAP_SYS_PTRACE" {
	start 12345 net_raw
	run -2 sample 12345 ''
	run -0 sample 12345 sys_ptrace
	[[ $output == *lock_here* ]]
}

@test "a command has the rights of who called, and who asks JVMs no more than that takes" {
	# shellcheck disable=SC2016 # the inner shell's
	local show='i=0
		until grep -qs "^S" "$1/out" || [ $i -ge 600 ]; do
			sleep 0.1
			i=$((i + 1))
		done
		cat /proc/$PPID/status >"$1/sampler"
		cat /proc/self/status >"$1/command"
		for child in $(cat "/proc/$PPID/task/$PPID/children"); do
			[ "$child" = $$ ] || cat "/proc/$child/status"
		done >"$1/asker"'

	start 12345 ''
	stacksample -q -- sh -c "$show" - "$dir" >"$dir/out" 3>&-
	has_only "$dir/sampler" "$of_root"
	has_only "$dir/asker" "$to_ask"
	diff <(grep -E '^(Cap|NoNew)' "$dir/command") \
		<(grep -E '^(Cap|NoNew)' /proc/self/status)
	stacksample -q --no-ask-jvm -- sh -c "$show" - "$dir" >"$dir/out" 3>&-
	has_only "$dir/sampler" "$of_root"
	[ ! -s "$dir/asker" ]
}

@test "names of code are taken from the process's user, by who may look at it" {
	start 12345 ''
	cp "$command_dir/jitsym" "$dir"
	echo '1000 100 made' >"$dir/map"
	chown 12345 "$dir/map"
	mv "$dir/map" "/tmp/perf-$target.map"
	echo "threads-$target;[unknown <1010>] 1" >"$dir/in"
	run -0 --separate-stderr as 12346 "$to_look" \
		"$dir/jitsym" --pid "$target" "$dir/in"
	[ "$output" = "threads-$target;made 1" ]
	run -0 --separate-stderr as 12346 '' \
		"$dir/jitsym" --pid "$target" "$dir/in"
	[ "$output" = "$(cat "$dir/in")" ]
	[[ $stderr == *"/tmp/perf-$target.map: it belongs to another user"* ]]
}
