#!/usr/bin/env bats
# php.bats - functions of PHP in the stacks of running processes.

load ../helper
load running

HERE=$BATS_TEST_DIRNAME

setup() {
	need_process_side
	need_native
	[ "$(uname -m)" = x86_64 ] || skip "PHP is known on x86-64 only"
	php -r 'exit(PHP_VERSION_ID >= 70400 && PHP_VERSION_ID < 80500 ? 0 : 1);' \
		2>/dev/null || skip "no PHP that is supported"
	target=()
}

teardown() {
	kill -KILL "${target[@]}" 2>/dev/null || :
}

# start ARGUMENT...: run php until it prints "ready".
start() {
	: >"$BATS_TEST_TMPDIR/log"
	php "$@" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	target=($!)
	disown
	until grep -qs ready "$BATS_TEST_TMPDIR/log"; do
		kill -0 "${target[0]}"
		sleep 0.01
	done
}

stop() {
	kill -KILL "${target[@]}"
	target=()
}

# The stacks without the names of threads and the places of closures, which
# debug_backtrace() does not have before PHP 8.4.
as_backtrace() {
	sed -n 's/ [0-9]*$//; s/{closure[^ ;]*}/{closure}/g; s/^[^#;]*;//p' |
		sort -u
}

parked_are_equal() {
	stacksample -q --comm phpparked -F 20 -d 0.2 --folded --no-native \
		--srcline | as_backtrace >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

all_are_parked() {
	[ "$(cat "$BATS_TEST_TMPDIR"/log.* | grep -c ready)" -eq "$1" ]
}

@test "PHPs that wait have the functions, files and lines of debug_backtrace()" {
	local shape n=0

	ln -s "$(command -v php)" "$BATS_TEST_TMPDIR/phpparked"
	for shape in $(php "$HERE/parked.php"); do
		"$BATS_TEST_TMPDIR/phpparked" "$HERE/parked.php" "$shape" \
			"$BATS_TEST_TMPDIR/want.$shape" \
			>"$BATS_TEST_TMPDIR/log.$shape" 2>&1 3>&- &
		target+=($!)
		disown
		n=$((n + 1))
	done
	[ "$n" -gt 30 ]
	within_minutes all_are_parked "$n"
	need_rights
	rm "$BATS_TEST_TMPDIR"/want.*.php
	sort -u "$BATS_TEST_TMPDIR"/want.* >"$BATS_TEST_TMPDIR/want"
	within_minutes parked_are_equal
}

# enough_samples: whether there are enough for a verdict.
enough_samples() {
	stacksample -p "${target[0]}" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad unmerged < <(awk -f "$HERE/grammar_php.awk" \
		"$BATS_TEST_TMPDIR/folded")
	# Of a thread that waits for a CPU, one stop is many samples.
	[ "$all" -gt 100 ] && [ "$unmerged" -le $((1 + all / 50)) ]
}

# grammar_holds [OPTION...]: for PHP with these options.
grammar_holds() {
	local all bad unmerged

	start "$@" "$HERE/grammar.php"
	need_rights
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_samples
	stop
	echo "# $all samples, $bad wrong, $unmerged not merged; $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
	! grep -q '\[unknown\]' "$BATS_TEST_TMPDIR/folded"
}

@test "a PHP that runs has stacks that the program can have" {
	grammar_holds -d opcache.enable_cli=0
	grammar_holds -d opcache.enable_cli=1 -d opcache.jit=off
}

@test "code of the JIT is unwound, too" {
	php -d opcache.enable_cli=1 -r 'exit(opcache_get_status() ? 0 : 1);' \
		2>/dev/null || skip "no opcache"
	grammar_holds -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M \
		-d opcache.jit=function
	grammar_holds -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M \
		-d opcache.jit=tracing
}

@test "functions are named once, as by their profilers, and native ones between" {
	start "$HERE/parked.php" usort "$BATS_TEST_TMPDIR/want"
	need_rights
	within_minutes has_native_frames
	stacksample -q -p "${target[0]}" -F 50 -d 0.05 >"$BATS_TEST_TMPDIR/raw"
	stackcollapse-pmp "$BATS_TEST_TMPDIR/raw" |
		grep -q "parked.php;{closure[^;]*} ([^;]*);usort;.*;park_by_name ([^;]*);park ([^;]*parked.php);sleep;"
}

has_native_frames() {
	stacksample -q -p "${target[0]}" -F 50 -d 0.05 --folded |
		grep -q "parked.php;{closure[^;]*} ([^;]*);usort;.*zend_.*sort;.*park_by_name .*;sleep;.*nanosleep"
}

# is_folded NAME: a function in C that runs stands for its own native frame.
is_folded() {
	stacksample -q -p "${target[0]}" -F 200 -d 0.3 --folded \
		>"$BATS_TEST_TMPDIR/folded"
	grep -q ";$1 [0-9]*\$" "$BATS_TEST_TMPDIR/folded"
}

@test "a function in C stands for its code, also where that has no name" {
	cat >"$BATS_TEST_TMPDIR/leaf.php" <<-'END'
		<?php $s = str_repeat("x", 1 << 16); echo "ready\n";
		while (true) strrev($s);
	END
	php -n "$BATS_TEST_TMPDIR/leaf.php" >"$BATS_TEST_TMPDIR/log" \
		2>&1 3>&- &
	target=($!)
	disown
	within_minutes grep -q ready "$BATS_TEST_TMPDIR/log"
	need_rights
	within_minutes is_folded strrev
	# A sample may catch PHP on its way into the function or out of it.
	awk '/;strrev[; ]/ { all += $NF }
	/;strrev;(zif_strrev|\[[^];]*php[^];]*\]) / { nameless += $NF }
	END { exit !(nameless * 4 < all) }' "$BATS_TEST_TMPDIR/folded"
}

# reads_are_few: with 100 samples at least, fewer than two reads for each; a few
# more find the runtime, and the names of functions.
reads_are_few() {
	local n reads

	strace -qq -f -e trace=process_vm_readv -o "$BATS_TEST_TMPDIR/trace" \
		stacksample -q -p "${target[0]}" -F 200 -d 2 --folded \
		>"$BATS_TEST_TMPDIR/folded" || return 2
	n=$(awk '/;rec / { n += $NF } END { print n + 0 }' \
		"$BATS_TEST_TMPDIR/folded")
	reads=$(grep -c 'process_vm_readv(' "$BATS_TEST_TMPDIR/trace")
	echo "# $n samples, $reads reads"
	[ "$n" -ge 100 ] || return 1
	few=$((reads <= 2 * n + 40))
}

@test "a sample takes few reads, also of a stack that gets deeper" {
	local few=0

	need_plain "sanitizers look for leaks by ptrace(2), as strace does"
	command -v strace >/dev/null || skip "no strace"
	strace -qq -o "$BATS_TEST_TMPDIR/trace" true 2>/dev/null ||
		skip "strace may not trace"
	cat >"$BATS_TEST_TMPDIR/deeper.php" <<-'END'
		<?php function rec($n) { if ($n) return rec($n - 1) + 1;
		for ($x = $i = 0; $i < 30000; $i++) $x += $i; return $x; }
		echo "ready\n"; while (true) rec(mt_rand(0, 60));
	END
	php -n "$BATS_TEST_TMPDIR/deeper.php" >"$BATS_TEST_TMPDIR/log" \
		2>&1 3>&- &
	target=($!)
	disown
	within_minutes grep -q ready "$BATS_TEST_TMPDIR/log"
	need_rights
	within_minutes reads_are_few
	[ "$few" -eq 1 ]
}

# serve: start a server that waits in each request, and send one.
serve() {
	local port=$((20000 + RANDOM % 20000))

	printf '<?php sleep(1000);\n' >"$BATS_TEST_TMPDIR/router.php"
	php -S "127.0.0.1:$port" "$BATS_TEST_TMPDIR/router.php" \
		>"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	target=($!)
	disown
	until (exec 4<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
		kill -0 "${target[0]}" 2>/dev/null || return 1
		sleep 0.01
	done
	exec 4<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET /a;b/17?secret=1 HTTP/1.0\r\n\r\n' >&4
}

has_request() {
	stacksample -q -p "${target[0]}" -F 50 -d 0.05 --folded --request \
		>"$BATS_TEST_TMPDIR/got"
	grep -q '^[^;]*;GET /a?b/17;.*router.php;sleep;' \
		"$BATS_TEST_TMPDIR/got"
}

@test "--request shows method and path, cleaned, and nothing does without it" {
	again serve
	need_rights
	within_minutes has_request
	stacksample -q -p "${target[0]}" -F 50 -d 0.05 --request |
		stackcollapse-pmp -q | grep -q ';GET /a?b/17;'
	run ! grep secret "$BATS_TEST_TMPDIR/got"
	stacksample -q -p "${target[0]}" -F 50 -d 0.05 --folded \
		>"$BATS_TEST_TMPDIR/got"
	grep -q 'router.php;sleep;' "$BATS_TEST_TMPDIR/got"
	run ! grep GET "$BATS_TEST_TMPDIR/got"
}
