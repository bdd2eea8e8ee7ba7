#!/usr/bin/env bats
# stackcollapse-gperftools.bats - the reader of traces of gperftools.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "gperftools: each trace gives its stacks" {
	golden gperftools
}

# The fixture has offsets in files, which --symfs with no file does not tell.
@test "gperftools: mappings may come in any order" {
	{
		# Words of 32 bits: 0 3 0 10000 0; count, depth, address; 0 1 0.
		printf '\0\0\0\0\3\0\0\0\0\0\0\0\20\47\0\0\0\0\0\0'
		printf '\1\0\0\0\1\0\0\0\20\20\0\0'
		printf '\2\0\0\0\1\0\0\0\377\57\0\0'
		printf '\3\0\0\0\1\0\0\0\0\60\0\0'
		printf '\4\0\0\0\1\0\0\0\0\100\0\0'
		printf '\0\0\0\0\1\0\0\0\0\0\0\0'
		echo '3000-4000 r-xp 0 00:00 1 /nowhere/c'
		echo '1000-2000 r-xp 0 00:00 1 /nowhere/a'
		echo '2000-3000 r-xp 0 00:00 1 /nowhere/b'
	} >prof
	run -0 --separate-stderr stackcollapse-gperftools -q prof
	[ "$output" = '[a] 1
[b] 2
[c] 3
[unknown] 4' ]
}
