#!/usr/bin/env bats
# disk.bats - threads that wait for a filesystem, which is frozen for that.

load ../helper
load ../interp/running

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
	[ -z "$mounted" ] || {
		fsfreeze -u "$mounted" 2>/dev/null || :
		within_minutes umount "$mounted" 2>/dev/null
	}
}

setup() {
	need_process_side
	mounted='' target=''
	PATH=$PATH:/sbin:/usr/sbin
	command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
	command -v fsfreeze >/dev/null || skip "no fsfreeze"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir disk
	truncate -s 16M image
	mkfs.ext4 -q image
	mount -o loop image disk 2>/dev/null || skip "may not mount"
	mounted=$PWD/disk
	fsfreeze -f disk 2>/dev/null || skip "may not freeze a filesystem"
	fsfreeze -u disk
	# The file is open before the filesystem is frozen.
	bash -c 'exec >>disk/file; fsfreeze -f disk; exec cat /dev/zero' 3>&- &
	target=$!
	disown
}

# The state by the kernel.
waits_in_D() {
	grep -q '^[0-9]* (cat) D ' "/proc/$target/stat"
}

@test "a thread that waits for a frozen filesystem does I/O on its file" {
	within_minutes waits_in_D
	need_rights
	stacksample -q --folded --state --blockers -F 50 -d 0.2 -p "$target" \
		>folded
	waits_in_D
	run -0 awk '!/^#/ && NF' folded
	[ -n "$output" ]
	run ! grep -v "\\[on $mounted/file\\] [0-9]*\$" <<<"$output"
	run -0 foldtop folded
	[[ $output == *'running 0.0'*'I/O 1.0 '*'of 1.0 threads'* ]]
}
