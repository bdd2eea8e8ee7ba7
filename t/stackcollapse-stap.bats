#!/usr/bin/env bats
# stackcollapse-stap.bats - the reader of traces of stap.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "SystemTap: frames without symbols, of which it is not sure, with lines" {
	{
		printf ' 0xffffffff8103ce3b : halt+0xb/0x10 [kernel] (inexact)\n'
		printf ' 0xffffffff8103ce00 [kernel+0x5/0x9] (inexact)\n'
		printf ' 0x7f5d1a7c2b15 [/lib/libc-2.17.so+0x21b15/0x3be000]\n'
		printf ' 0x401000 : f+0x5/0x9 at /c++/4.8/x.h:12 [/bin/a]\n'
		printf ' 0x401234 : main+0x5/0x9 (inexact)\n'
		printf ' 0x401235 (inexact)\n\t3\n'
	} >p
	run -0 --separate-stderr stackcollapse-stap --all p
	[ "$output" = "[unknown];main;f;[libc-2.17.so];[kernel]_[k];halt_[k] 3" ]
	[ -z "$stderr" ]
}
