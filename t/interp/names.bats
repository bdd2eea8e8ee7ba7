#!/usr/bin/env bats
# names.bats - a function of Python has one name, in whatever way it was seen.

load ../helper

HERE=$BATS_TEST_DIRNAME
PROG=$HERE/names.py

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	target=
}

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# A CPython of at least 3.12, which has -X perf.
new_python() {
	local file home

	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	for file in /usr/bin/python3.1? /usr/local/bin/python3.1? \
		"$home"/.pyenv/versions/3.1*/bin/python3.1?; do
		if "$file" -c 'import sys, sysconfig
sys.exit(not (3, 12) <= sys.version_info < (3, 14) or
	bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' 2>/dev/null; then
			echo "$file"
			return
		fi
	done
	return 1
}

# start OPTION...: run the program, if we may look at it.
start() {
	local python

	need_process_side
	need_native
	python=$(new_python) || skip "no CPython of 3.12 or later"
	"$python" "$@" "$PROG" tracebacks >log 2>&1 3>&- &
	target=$!
	disown
	within_minutes grep -qs ready log
	stacksample -q -p $target -d 0.1 >probe 2>&1 ||
		skip "no right to look at processes"
}

# functions FOLDED: the functions of the program in the stack that was seen
# most: a few samples are taken where a function has no callers yet.
functions() {
	grep -F 'inner (' "$1" | awk '
		$NF > most { most = $NF; sub(/ [0-9.]*$/, ""); stack = $0 }
		END { print stack }' | tr ';' '\n' | grep -F "$PROG"
}

# is_one_name FOLDED [QUALIFIER]
is_one_name() {
	diff - <(functions "$1") <<-END
		<module> ($PROG)
		${2-Work.}outer ($PROG)
		${2-Work.}inner ($PROG)
	END
}

has_inner() {
	"${@:2}" >"$1" && grep -q 'inner (' "$1"
}

@test "stacksample and stackcollapse-pmp name functions as folded(5) does" {
	start
	within_minutes has_inner folded stacksample -q --folded -p "$target" -d 0.3
	is_one_name folded
	stacksample -q -p "$target" -d 0.3 >raw
	stackcollapse-pmp -q raw >folded
	is_one_name folded
}

@test "with -X perf there is one frame for a function, as without" {
	start -X perf
	within_minutes has_inner folded stacksample -q --folded -p "$target" -d 0.3
	is_one_name folded
	run ! grep -F 'py::' folded
	stacksample -q -p "$target" -d 0.3 >raw
	stackcollapse-pmp -q raw >folded
	is_one_name folded
}

@test "perf maps of -X perf have the same names" {
	start -X perf
	stackrecord -q -F 200 -o data -p "$target" -d 0.5 2>err ||
		skip "no right to record"
	stackcollapse-perf -q data >folded
	grep -q 'inner (' folded || skip "no stack with copies was recorded"
	is_one_name folded
	run ! grep -F 'py::' folded
	stackcollapse-perf -q --jit data >folded
	is_one_name <(sed 's/_\[0\]//g' folded)
	grep -qF "Work.inner ($PROG)_[0]" folded
	run ! grep -F "($PROG)_[j]" folded
}

@test "faulthandler has the last part of the same name" {
	start
	kill -USR1 "$target"
	within_minutes grep -qs '<module>' tracebacks
	stackcollapse-faulthandler -q tracebacks >folded
	grep -qF "outer ($PROG)" folded
	stackcollapse-faulthandler -q --srcline tracebacks >folded
	grep -qE "outer \($PROG:1[67]\)" folded
}

@test "what austin, py-spy, speedscope files and gdb have is the same" {
	# The forms are those of austin 3.6, py-spy 0.3 and gdb 12.
	{
		printf 'P1;T0:1;%s:<module>:22;' "$PROG"
		printf '%s:Work.outer:17;%s:Work.inner:11 2\n' "$PROG" "$PROG"
	} >austin
	stackcollapse-austin austin >folded
	is_one_name folded
	printf '%s (%s:%s);' '<module>' "$PROG" 22 outer "$PROG" 17 >py-spy
	printf 'inner (%s:11) 3\n' "$PROG" >>py-spy
	foldcolor -q -p names py-spy >folded
	is_one_name folded ''
	cat >speedscope <<-END
	{"\$schema":"https://www.speedscope.app/file-format-schema.json",
	"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,
	"endValue":1,"samples":[[0,1,2]],"weights":[1]}],"shared":{"frames":[
	{"name":"<module>","file":"$PROG","line":22},
	{"name":"outer","file":"$PROG","line":17},
	{"name":"inner","file":"$PROG","line":11}]}}
	END
	stackcollapse-speedscope -q speedscope >folded
	is_one_name folded ''
	cat >gdb <<-END
	Thread 1 (process 1):
	Traceback (most recent call first):
	  File "$PROG", line 11, in inner
	  File "$PROG", line 17, in outer
	  File "$PROG", line 22, in <module>
	END
	stackcollapse-gdb -q gdb >folded
	is_one_name folded ''
}

@test "lines are there where they are asked for" {
	echo 'P1;T0:1;a.py:f:3 1' >austin
	run -0 stackcollapse-austin --srcline austin
	[ "$output" = 'P1;T0:1;f (a.py:3) 1' ]
	cat >gdb <<-'END'
	Thread 1 (process 1):
	Traceback (most recent call first):
	  File "a.py", line 3, in f
	END
	run -0 stackcollapse-gdb --srcline gdb
	[ "$output" = 'f (a.py:3) 1' ]
}

@test "all these names are interpreted code in a picture" {
	printf 'm;%s (a.py) 1\n' f A.g '<lambda>' 'A.f.<locals>.<genexpr>' >folded
	printf 'm;f (%s) 1\n' '<frozen os>' '<string>' 'a.py:12' >>folded
	run -0 foldcolor folded
	[ "$(grep -c '_\[0\] 1$' <<<"$output")" -eq 7 ]
}

# A thread ends before its functions are named.
named() {
	stacksample -q --folded --no-native -F 99 -p "$target" -d 1 >folded &&
		grep -q 'brief (' folded && ! grep -qF '[unknown]' folded
}

@test "threads that end soon have the names of their functions" {
	local python

	need_process_side
	need_native
	python=$(new_python) || skip "no CPython of 3.12 or later"
	"$python" -c 'import threading
def brief():
    sum(range(30000))
print("ready", flush=True)
while True:
    threading.Thread(target=brief).start()' >log 2>&1 3>&- &
	target=$!
	disown
	within_minutes grep -qs ready log
	stacksample -q -p $target -d 0.1 >probe 2>&1 ||
		skip "no right to look at processes"
	again named
}
