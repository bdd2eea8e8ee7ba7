#!/usr/bin/env bats
# ruby.bats - methods of Ruby in the stacks of running processes, for the Ruby
# that is here.

load ../helper
load running

HERE=$BATS_TEST_DIRNAME

setup() {
	need_process_side
	need_native
	type ruby >/dev/null 2>&1 || skip "no ruby"
	ruby -e 'v = RUBY_VERSION.to_f
exit(RUBY_ENGINE == "ruby" && v >= 2.7 && v < 3.5)' ||
		skip "no Ruby that is supported"
}

# parked OPTION...: start the program whose threads wait; all but the main one
# are compared.
parked() {
	start env LC_ALL=C.UTF-8 ruby -W0 "$@" "$HERE/parked.rb" "$BATS_TEST_TMPDIR/backtraces"
	sort -u "$BATS_TEST_TMPDIR/backtraces" >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -ge 48 ]
}

# Up to 3.3 Ruby's backtraces have no classes.
without_classes() {
	if ruby -e 'exit RUBY_VERSION.to_f < 3.4'; then
		awk -f "$HERE/backtrace.awk" -v classes=0
	else
		awk -f "$HERE/backtrace.awk" -v classes=1
	fi
}

parked_is_equal() {
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		--srcline >"$BATS_TEST_TMPDIR/folded"
	without_classes <"$BATS_TEST_TMPDIR/folded" | grep -v '^<main>' |
		sort -u >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" \
		>"$BATS_TEST_TMPDIR/diff"
}

# Wait until all threads are seen; show what differs if they never are.
parked_becomes_equal() {
	within_minutes parked_is_equal ||
		{ cut -c1-300 "$BATS_TEST_TMPDIR/diff" && false; }
}

@test "threads that wait have the methods, files and lines of Thread#backtrace" {
	parked
	parked_becomes_equal
}

@test "... and so with the JIT compiler" {
	ruby --yjit -e 1 2>/dev/null || skip "this Ruby has no YJIT"
	parked --yjit --yjit-call-threshold=1
	parked_becomes_equal
}

# hide FILE SYMBOL: give an exported symbol another name.  A process that has
# mapped the file has bound it already.
hide() {
	ruby -e 'File.open(ARGV[0], "r+b") do |f|
  f.pwrite("x", File.binread(ARGV[0]).index("\0#{ARGV[1]}\0") + 1)
end' "$1" "$2"
}

@test "... and so if Ruby's library does not export its VM" {
	local library symbol=ruby_current_vm_ptr

	library=$(ldd "$(type -P ruby)" | awk '/libruby/ { print $3 }')
	[ -n "$library" ] || skip "this Ruby has no library"
	grep -q $symbol "$library" || skip "its library never does"
	cp -L "$library" "$BATS_TEST_TMPDIR"
	export LD_BIND_NOW=1 LD_LIBRARY_PATH=$BATS_TEST_TMPDIR
	parked
	unset LD_BIND_NOW LD_LIBRARY_PATH
	hide "$BATS_TEST_TMPDIR/${library##*/}" $symbol
	parked_becomes_equal
}

@test "methods have the class or module that they belong to" {
	local name

	parked
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		>"$BATS_TEST_TMPDIR/folded"
	for name in 'Object#park' 'Thing#with_rescue' \
		'rescue in Thing#with_rescue' 'ensure in Thing#with_ensure' \
		'Thing.of_class' 'Thing.of_singleton' 'Thing#größe' \
		'block (3 levels) in Thing#nested' 'Derived#nested' \
		'Helper.help' 'Helper.mixed' 'Thing::Inner#of_proc' \
		'block in Thing::Inner#call' 'block in <class:Thing>' \
		'block in Thing#with_match' 'plain' 'single'; do
		grep -qF ";$name ($HERE/parked.rb)" "$BATS_TEST_TMPDIR/folded"
	done
	for name in 'IO#read' 'Enumerable#map' 'Array#each' 'Integer#times' \
		'String#gsub' 'Class#new' 'Monitor#synchronize'; do
		grep -qE ";$name \(<(cfunc|internal:[a-z]*)>\)" \
			"$BATS_TEST_TMPDIR/folded"
	done
}

@test "methods stand among native frames" {
	parked
	stacksample -p "$target" -F 50 -d 0.2 --folded \
		>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes"
	run -1 grep -F '[unmerged]' "$BATS_TEST_TMPDIR/folded"
	run -1 grep -F 'rb_vm_exec' "$BATS_TEST_TMPDIR/folded"
	grep -q 'Array#each (<cfunc>);rb_ary_each;block in Thing#nested (' \
		"$BATS_TEST_TMPDIR/folded"
}

# On a busy machine few threads stop in time, so it may take a while.
enough_samples() {
	stacksample -p "$target" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad < <(awk -f "$HERE/grammar_ruby.awk" \
		"$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ]
}

sum_is_folded() {
	stacksample -q -p "$target" -F 200 -d 0.3 --folded \
		>"$BATS_TEST_TMPDIR/folded"
	grep -qE ';Array#sum \(<cfunc>\)(;rb_ary_sum)? [0-9]*$' \
		"$BATS_TEST_TMPDIR/folded"
}

@test "a method in C stands for its code where that has no name" {
	cat >"$BATS_TEST_TMPDIR/leaf.rb" <<-'END'
		a = Array.new(100000) { |i| i }
		$stdout.sync = true
		puts "ready"
		loop { a.sum }
	END
	start ruby "$BATS_TEST_TMPDIR/leaf.rb"
	within_minutes sum_is_folded
	# A sample may catch Ruby on its way into the method or out of it.
	awk '/Array#sum \(<cfunc>\)/ { all += $NF }
	/Array#sum \(<cfunc>\);\[[^];]*ruby[^];]*\] / { nameless += $NF }
	END { exit !(nameless * 4 < all) }' "$BATS_TEST_TMPDIR/folded"
}

@test "threads that run have stacks that the program can have" {
	local all bad

	start env LC_ALL=C.UTF-8 ruby -W0 "$HERE/grammar.rb"
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_samples
	echo "# $all samples, $bad wrong; $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
}

@test "methods of a Ruby that starts, or calls exec, are found" {
	local program='class Tree; def grow; sleep 1; end; end; Tree.new.grow'

	stacksample -q -F 50 --folded --no-native -- ruby -e \
		"exec 'ruby', '-e', '$program'" >"$BATS_TEST_TMPDIR/folded"
	grep -q ';<main> (-e);Tree#grow (-e);Kernel#sleep (<cfunc>) ' \
		"$BATS_TEST_TMPDIR/folded"
}

# On a busy machine few threads stop in time.
lock_is_seen() {
	stacksample -q -p "$target" -F 100 -d 1 --folded --no-native --state \
		>"$BATS_TEST_TMPDIR/folded"
	grep -q 'state:interpreter-lock' "$BATS_TEST_TMPDIR/folded" &&
		grep -q 'state:run' "$BATS_TEST_TMPDIR/folded"
}

@test "threads that wait for Ruby's lock are told from those that run or sleep" {
	start env LC_ALL=C.UTF-8 ruby -e "Thread.new { sleep }
2.times { Thread.new { loop { Integer.sqrt(2) } } }
puts 'ready'
STDOUT.flush
loop { Integer.sqrt(2) }"
	within_minutes lock_is_seen
	run -1 grep 'Kernel#sleep.*interpreter-lock' "$BATS_TEST_TMPDIR/folded"
}
