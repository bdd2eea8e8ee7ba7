#!/usr/bin/env bats
# stackcollapse-jitdump.bats - frames of JIT code in recordings of perf, by
# stackcollapse-jitdump and by stackcollapse-perf.

load helper

setup() {
	jittest=$top_builddir/t/jit/jittest
	[ -x "$jittest" ] || skip "t/jit/jittest is not built"
	cd "$BATS_TEST_TMPDIR" || return
	xz -dc "$DATA/jit/nasty.data.xz" >nasty.data
}

# dump PID <SCRIPT: jit-PID.dump, see t/jit/jittest.c.
dump() {
	"$jittest" write "$1" >"jit-$1.dump"
}

# The samples of a stream with JIT frames, by time: "TIME NAME" of the leaf.
leaves() {
	awk '/^#time=/ { sub(/#time=/, ""); sub(/;.*/, ""); time = $0 }
		/^[^#]/ {
			sub(/ [0-9]+$/, "")
			sub(/.*;/, "")
			print time, $0
		}'
}

@test "the golden files come out as they are" {
	golden jitdump
}

@test "a recording's frames are named by what was there at the time" {
	stackcollapse-perf -q --samples --addrs --jitdump "$DATA/jit/nasty.dump" \
		nasty.data | leaves >got
	sed 's/;/:/g; s/ *(.*//' "$DATA/jit/nasty.names" >names
	sed -n '/^#time=/{s/#time=//; s/;.*//; p;}' "$DATA/jit/nasty.stream" |
		paste -d ' ' - names >want
	[ "$(wc -l <want)" -gt 50 ]
	awk 'NR == FNR { name[$1] = substr($0, length($1) + 2); next }
		{
			want = substr($0, length($1) + 2)
			unnamed = name[$1] ~ /^\[perf-26581.map <[0-9a-f]*>\]$/
			if (want == "-" ? !unnamed : name[$1] != want) {
				print $0 ": " name[$1]
				bad = 1
			}
		}
		END { exit bad }' got want
}

@test "text and recordings give jitsym's names" {
	stackcollapse-perf -q --samples --addrs nasty.data |
		jitsym -q --jitdump "$DATA/jit/nasty.dump" >want
	stackcollapse-perf -q --samples --addrs --jitdump "$DATA/jit/nasty.dump" \
		nasty.data | cmp - want
	jitsym -q --jit --jitdump "$DATA/jit/nasty.dump" want >marked
	stackcollapse-jitdump -q --samples --addrs nasty.data \
		--jitdump "$DATA/jit/nasty.dump" | sed 's/_\[j\]//' >got
	sed 's/_\[j\]//' marked | cmp - got
	stackcollapse-jitdump -q --jitdump "$DATA/jit/nasty.dump" nasty.data |
		grep -q ';after_close_\[j\] '
}

@test "a recording names its jitdump, and it is said if that is not there" {
	run -0 --separate-stderr stackcollapse-perf nasty.data
	[[ $stderr == *'/jit-26581.dump: No such file or directory; see --jitdump'* ]]
	mkdir -p root/tmp/h/jit/wrkd/run/nastya
	cp "$DATA/jit/nasty.dump" root/tmp/h/jit/wrkd/run/nastya/jit-26581.dump
	stackcollapse-perf -q --symfs root nasty.data >got
	grep -q ';after_close ' got
	stackcollapse-perf -q --symfs root --jitdump "$DATA/jit/nasty.dump" \
		nasty.data | cmp - got
	run -1 stackcollapse-perf --strict --symfs root nasty.data
}

@test "times in ticks are compared with the clock of a recording that knows how" {
	dump 7 <<-'END'
	load 10000 1000 64 1 old
	load 20000 1000 64 2 new
	END
	# The flag that its times are ticks.
	printf '\1' | dd of=jit-7.dump bs=1 seek=32 conv=notrunc status=none
	recording() {
		echo '64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x40000 80:0'
		"$@"
		for time in 1500 1995 1996 2991 2992; do
			echo "9 2 8:0x1000 4:7 4:7 8:$time" \
				'8:2 8:0xfffffffffffffe00 8:0x1000'
		done
	}
	# (ticks * 102 >> 10) + 1000
	recording echo 79 0 8:10 8:102 8:1000 | "$top_builddir/t/programs/mkperf" >ticks
	recording true | "$top_builddir/t/programs/mkperf" >plain
	run -0 --separate-stderr stackcollapse-perf --root none \
		--jitdump jit-7.dump ticks
	[ "$output" = "$(printf '%s\n' '[unknown] 2' 'new 1' 'old 2')" ]
	[[ $stderr != *ticks* ]]
	stackcollapse-perf -q --root none --jitdump jit-7.dump \
		--clock 10:102:1000 plain | diff - <(echo "$output")
	run -0 --separate-stderr stackcollapse-perf --root none \
		--jitdump jit-7.dump plain
	[ "$output" = "new 5" ]
	[[ $stderr == *"jit-7.dump: its times are processor ticks"* ]]
	# Absurd ones are none.
	recording echo 79 0 8:99 8:102 8:1000 | "$top_builddir/t/programs/mkperf" >absurd
	[ "$(stackcollapse-perf -q --root none --jitdump jit-7.dump absurd)" = \
		"new 5" ]
}

# text [SAMPLE...]: perf script text of process 7, in whose memory there is a
# library at 7f0000000000, and whose jitdump is here.
text() {
	local map='app 7/7 1.000000000: PERF_RECORD_MMAP2 7/7:'

	echo "$map [0x7f0000000000(0x10000) @ 0x1000 fe:00 5 0]: r-xp /lib/a b.so"
	echo "$map [0x400000(0x100000) @ 0 fe:00 6 0]: r-xp /bin/app"
	echo "$map [0x7e0000000000(0x1000) @ 0 fe:00 7 0]: r-xp $PWD/jit-7.dump"
	cat
}

@test "text is named as well, where mappings tell, files too" {
	dump 7 <<-'END'
	load 1000000100 7f0000000100 64 1 built-in
	load 1000000100 1000 64 2 old
	load 2000000000 1000 64 3 new
	load 1000000100 401000 64 4 low
	END
	text >in <<-'END'
	app 7/7 1.500000: 1 cycles: 
	            1000 [unknown] (/tmp/perf-7.map)
	            1110 lib+0x5 (/lib/a b.so)
	            9110 other+0x5 (/lib/a b.so)

	app 7/7 2.500000: 1 cycles: 
	  ffffffff81000000 irq+0x0 ([kernel.kallsyms])
	            1000 [unknown] ([unknown])
	            1001 [unknown] (//anon)
	            1010 main+0x1 (/bin/app)

	app 7/8 2.500000: 1 cycles: 
	            1003 some+0x3 (/tmp/other.so)

	END
	run -0 --separate-stderr stackcollapse-perf --jit in
	[ "$output" = "$(printf '%s\n' 'app;[other.so] 1' \
		'app;low_[j];new_[j];new_[j];irq 1' \
		'app;other;built-in_[j];old_[j] 1' |
		sed 's/\[other.so\]/some/' | LC_ALL=C sort)" ]
	[ -z "$stderr" ]
	# The leaf alone is exact: a caller at the start of code is before it.
	text >in <<-'END'
	app 7/7 2.500000: 1 cycles: 
	            1000 [unknown] (/tmp/perf-7.map)
	            1000 [unknown] (/tmp/perf-7.map)

	END
	[ "$(stackcollapse-perf -q in)" = 'app;[perf-7.map];new 1' ]
	[ "$(stackcollapse-perf -q --caller-address exact in)" = \
		'app;new;new 1' ]
}

@test "a process may have several jitdumps" {
	local map='app 7/7 1.000000000: PERF_RECORD_MMAP2 7/7:'

	mkdir other
	echo 'load 1000000100 1000 64 1 one' | dump 7
	(cd other && echo 'load 1000000100 2000 64 1 two' | dump 7)
	text >in <<-END
	$map [0x7d0000000000(0x1000) @ 0 fe:00 8 0]: r-xp $PWD/other/jit-7.dump
	$map [0x7d0000001000(0x1000) @ 0 fe:00 8 0]: r-xp $PWD/other/jit-7.dump
	app 7/7 1.500000: 1 cycles:
	            2000 [unknown] (//anon)
	            1010 [unknown] (//anon)

	END
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'app;one;two 1' ]
	[ -z "$stderr" ]
	# What was named is all.
	[ "$(stackcollapse-perf -q --jitdump other in)" = 'app;[anon];two 1' ]
}

@test "addresses as later versions of perf print them are known too" {
	echo 'load 1000000100 7f0000000100 64 1 built-in' | dump 7
	text >in <<-'END'
	app 7/7 1.500000: 1 cycles: 
	    7f0000000110 lib+0x5 (/lib/a b.so)

	END
	[ "$(stackcollapse-perf in)" = 'app;built-in 1' ]
}

@test "a process is that of its map where perf script prints only threads" {
	echo 'load 1000000100 1000 64 1 f' | dump 7
	text >in <<-'END'
	app 9 1.500000: 1 cycles: 
	            1000 [unknown] (/tmp/perf-7.map)

	END
	[ "$(stackcollapse-perf in)" = 'app;f 1' ]
}

@test "--lines, --versions and --tiers with a jitdump" {
	local dump=$DATA/jit/nasty.dump

	stackcollapse-jitdump -q --lines --jitdump "$dump" nasty.data >got
	grep -q ';mover:mover.lang:12_\[j\] ' got
	stackcollapse-jitdump -q --jitdump "$dump" nasty.data >got
	grep -q ';mover_\[j\] ' got
	run ! grep -q '\.lang' got
	dump 7 <<-'END'
	load 1000000100 1000 16 1 JS:~f
	load 1000000100 2000 16 2 JS:^f
	load 1000000200 3000 16 3 JS:*f
	load 1000000300 4000 16 4 JS:*f
	load 1000000300 5000 16 5 Interpreter
	END
	text >in <<-'END'
	app 7/7 1.500000: 1 cycles: 
	            4000 [unknown] (/tmp/perf-7.map)
	            3005 [unknown] (/tmp/perf-7.map)
	            2005 [unknown] (/tmp/perf-7.map)
	            1005 [unknown] (/tmp/perf-7.map)
	            5005 [unknown] (/tmp/perf-7.map)

	END
	[ "$(stackcollapse-jitdump --tiers --versions in)" = \
		'app;Interpreter_[0];JS:f_[0];JS:f_[1];JS:f_[j];JS:f#2_[j] 1' ]
	[ "$(stackcollapse-jitdump in)" = \
		'app;Interpreter_[j];JS:~f_[j];JS:^f_[j];JS:*f_[j];JS:*f_[j] 1' ]
}

# line_at OFFSET: the frame of code at 1000, with its line.
line_at() {
	printf 'app 7/7 1.500000: 1 cycles: \n\t%x [unknown] (/tmp/perf-7.map)\n\n' \
		$((0x1000 + $1)) | stackcollapse-jitdump -q --lines \
		--jitdump jit-7.dump | sed 's/app;//; s/_\[j\]//; s/ 1$//'
}

@test "a line is in force from its address on" {
	dump 7 <<-'END'
	lines 1 1000 0:10:/src/a.js 16:11:/src/a.js 16:12:b.js
	load 1 1000 64 1 f
	END
	[ "$(line_at 0)" = f:a.js:10 ]
	[ "$(line_at 15)" = f:a.js:10 ]
	[ "$(line_at 16)" = f:b.js:12 ]
	[ "$(line_at 63)" = f:b.js:12 ]
	# None is known before the first.
	dump 7 <<-'END'
	lines 1 1000 8:10:a.js
	load 1 1000 64 1 f
	END
	[ "$(line_at 7)" = f ]
	[ "$(line_at 8)" = f:a.js:10 ]
	# In any order, in functions by turns.
	dump 7 <<-'END'
	lines 1 1000 32:12:a.js 0:10:a.js 16:11:a.js
	load 1 1000 64 1 f
	lines 1 2000 8:21:b.js 0:20:b.js
	load 1 2000 64 1 g
	END
	printf '\t%s [unknown] (/tmp/perf-7.map)\n' 1010 2001 1001 2009 1021 |
		sed '1i app 7/7 1.500000: 1 cycles: ' >in
	echo >>in
	run -0 stackcollapse-jitdump -q --lines --jitdump jit-7.dump in
	[ "${output//_\[j\]/}" = 'app;f:a.js:12;g:b.js:21;f:a.js:10;g:b.js:20;f:a.js:11 1' ]
}

@test "lines of V8 are where they belong, even if their file is spoilt" {
	dump 7 <<-'END'
	lines 1 1000 64:10:a.js 80:11:a.js
	load 1 1000 64 1 JS:*f /srv/app.js:9:1
	END
	[ "$(line_at 0)" = 'JS:*f /srv/app.js:9:1:a.js:10' ]
	[ "$(line_at 16)" = 'JS:*f /srv/app.js:9:1:a.js:11' ]
	dump 7 <<-'END'
	lines 1 1000 64:10:! 80:11:! 96:12:!
	load 1 1000 64 1 JS:*f /srv/app.js:9:1
	lines 1 2000 64:10:! 80:11:!
	load 1 2000 64 1 g
	END
	[ "$(line_at 20)" = 'JS:*f /srv/app.js:9:1:app.js:11' ]
	[ "$(line_at 33)" = 'JS:*f /srv/app.js:9:1:app.js:12' ]
	[ "$(line_at $((0x1014)))" = g:11 ]
}

@test "lines of inlined functions are not those of the function that has them" {
	# As libperf-jvmti writes it: of each address the innermost method, or all,
	# innermost first.  An address is the end of an instruction.
	dump 7 <<-'END'
	lines 1 1000 4:20:org/App.java 8:600:java/util/HashMap.java 16:22:org/App.java 24:300:java/lang/String.java 24:601:java/util/HashMap.java 24:23:org/App.java
	load 1 1000 64 1 Lorg/App;run(I)V
	lines 1 4000 0:1:/srv/app.js 8:70:/srv/lib.js 16:2:/srv/app.js
	load 1 4000 64 4 JS:*f /srv/app.js:1:13
	END
	# App.java:20 may be a method of the same file, inlined.
	[ "$(line_at 0)" = 'org.App.run;App.java:20_[i]' ]
	[ "$(line_at 3)" = 'org.App.run;App.java:20_[i]' ]
	[ "$(line_at 7)" = 'org.App.run;HashMap.java:600_[i]' ]
	[ "$(line_at 12)" = 'org.App.run;App.java:22_[i]' ]
	[ "$(line_at 23)" = 'org.App.run;String.java:300_[i]' ]
	[ "$(line_at 24)" = 'org.App.run;String.java:300_[i]' ]
	[[ $(line_at $((0x3008))) = *:app.js:1 ]]
	[[ $(line_at $((0x3010))) = *:app.js:2 ]]
}

@test "perf inject's lines of a JVM are of no method that is known" {
	text >in <<-'END'
	java 7/7 1.500000: 1 cycles: 
	            4000 App.run() (/tmp/jitted-7-1.so)
	  Map.java:600
	            3005 JS:*f (/tmp/jitted-7-2.so)
	  app.js:12
	            2005 main (/bin/app)
	  App.java:5

	END
	[ "$(stackcollapse-jitdump --lines in)" = \
		'java;main;JS:*f:app.js:12_[j];App.run_[j];Map.java:600_[i] 1' ]
	[ "$(stackcollapse-perf -q --jit --srcline in)" = \
		'java;main:App.java:5;JS:*f:app.js:12_[j];App.run_[j];Map.java:600_[i] 1' ]
	[ "$(stackcollapse-jitdump in)" = \
		'java;main;JS:*f_[j];App.run_[j] 1' ]
}

# Two calls of get() in run(), one of them by way of find().
inlining() {
	dump 7 <<-'END'
	inlines 1 1000 8:LApp;run()V,org/App.java,20,1 16:LApp;run()V,org/App.java,21,5|LApp;find()V,org/App.java,90,2|LMap;get()V,Map.java,600,4 20:LApp;run()V,org/App.java,21,5|LApp;find()V,org/App.java,91,7|LMap;get()V,Map.java,600,4 24:LApp;run()V,org/App.java,22,9|LMap;get()V,Map.java,600,4 32:LApp;run()V,org/App.java,0,9
	load 1 1000 64 1 LApp;run()V
	END
}

# inlined_at OFFSET [OPTION...]: as line_at
inlined_at() {
	printf 'app 7/7 1.500000: 1 cycles: \n\t%x [unknown] (/tmp/perf-7.map)\n\n' \
		$((0x1000 + $1)) | stackcollapse-jitdump -q --jitdump jit-7.dump \
		"${@:2}" | sed 's/app;//; s/ 1$//'
}

# called_at OFFSET [OPTION...]: the same for a caller, by its return address
called_at() {
	printf 'app 7/7 1.500000: 1 cycles: \n\t10 leaf (/bin/app)\n\t%x [unknown] (/tmp/perf-7.map)\n\n' \
		$((0x1000 + $1)) | stackcollapse-jitdump -q --jitdump jit-7.dump \
		"${@:2}" | sed 's/app;//; s/;leaf 1$//'
}

@test "the table of inlined functions gives frames, each with its line" {
	inlining
	# A call returns to a place.
	[ "$(called_at 8 --lines)" = 'App.run:App.java:20_[j]' ]
	[ "$(called_at 16 --lines)" = \
		'App.run:App.java:21_[j];App.find:App.java:90_[i];Map.get:Map.java:600_[i]' ]
	[ "$(called_at 24 --lines)" = \
		'App.run:App.java:22_[j];Map.get:Map.java:600_[i]' ]
	[ "$(called_at 32 --lines)" = 'App.run_[j]' ]
	[ "$(called_at 16)" = 'App.run_[j];App.find_[i];Map.get_[i]' ]
	# Elsewhere: what both neighbours have, with the line of the next one.
	[ "$(inlined_at 3 --lines)" = 'App.run:App.java:20_[j]' ]
	[ "$(inlined_at 10 --lines)" = 'App.run:App.java:21_[j]' ]
	[ "$(inlined_at 15 --lines)" = 'App.run:App.java:21_[j]' ]
	[ "$(inlined_at 16 --lines)" = \
		'App.run:App.java:21_[j];App.find:App.java:91_[i]' ]
	[ "$(called_at 18 --lines)" = \
		'App.run:App.java:21_[j];App.find:App.java:91_[i]' ]
	[ "$(inlined_at 17 --lines)" = \
		'App.run:App.java:21_[j];App.find:App.java:91_[i]' ]
	[ "$(inlined_at 21 --lines)" = 'App.run:App.java:22_[j]' ]
	[ "$(inlined_at 40 --lines)" = 'App.run_[j]' ]
	printf '\t%s [unknown] (/tmp/perf-7.map)\n' 1009 1010 |
		sed '1i app 7/7 1.500000: 1 cycles: ' >in
	echo >>in
	[ "$(stackcollapse-jitdump -q --jitdump jit-7.dump in)" = \
		'app;App.run_[j];App.find_[i];Map.get_[i];App.run_[j] 1' ]
	# Other readers: names alone, and an instruction after what is inlined.
	[ "$(stackcollapse-perf --jit -q --jitdump jit-7.dump in)" = \
		'app;App.run_[j];App.find_[i];Map.get_[i];App.run_[j] 1' ]
	[ "$(stackcollapse-perf --jit -q --no-inline --jitdump jit-7.dump in)" = \
		'app;App.run_[j];App.run_[j] 1' ]
	[ "$(echo 'app;[perf-7.map <1010>];[perf-7.map <1009>] 1' |
		jitsym -q --jit --pid 7 --jitdump jit-7.dump)" = \
		'app;App.run_[j];App.find_[i];Map.get_[i];App.run_[j] 1' ]
	[[ $(inlined_at 17 --insns) = 'App.run_[j];App.find_[i];+11'* ]]
}

@test "a damaged table of inlined functions is reported, and not used" {
	local at size byte

	inlining
	cp jit-7.dump good
	at=$(grep -abo FOLDINL1 good | cut -d : -f 1)
	size=$(stat -c %s good)
	# All counts and numbers of the table, one after the other.
	for byte in $(seq $((at + 8)) 4 $((size - 160))); do
		cp good jit-7.dump
		printf '\377\377\377\377' |
			dd of=jit-7.dump bs=1 seek="$byte" conv=notrunc status=none
		[[ $(inlined_at 15) = *[7n]* ]]
	done
	cp good jit-7.dump
	printf '\377\377\377\377' |
		dd of=jit-7.dump bs=1 seek=$((at + 12)) conv=notrunc status=none
	run -0 "$top_builddir/t/jit/jittest" records jit-7.dump
	[[ $output = partial*'DEBUG_INFO has a damaged table of inlined functions'* ]]
	[ "$(inlined_at 15 --lines)" = 'App.run_[j]' ]
}

@test "a child has its parent's code until it executes a program" {
	dump 7 <<-'END'
	load 10 1000 64 1 made
	END
	"$top_builddir/t/programs/mkperf" >forks.data <<-'END'
		# Of each sample: IP, TID, TIME; of CLOCK_MONOTONIC.
		64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0x2040000 44:0 4:1 32:0
		7 0 4:8 4:7 4:8 4:7 8:100 4:7 4:7 8:100
		7 0 4:9 4:8 4:9 4:8 8:110 4:8 4:8 8:110
		9 2 8:0x1010 4:7 4:7 8:200
		9 2 8:0x1010 4:8 4:8 8:200
		9 2 8:0x1010 4:9 4:9 8:200
		3 0x2000 4:8 4:8 8:'x 4:8 4:8 8:300
		9 2 8:0x1010 4:8 4:8 8:400
		# What perf tells of a process that it found is no fork.
		7 0x2000 4:10 4:7 4:10 4:7 8:0 4:0 4:0 8:0
		9 2 8:0x1010 4:10 4:10 8:400
	END
	run -0 stackcollapse-jitdump -q --symfs "$PWD" --root tid \
		--jitdump jit-7.dump forks.data
	[ "$output" = 'tid-10;[unknown] 1
tid-7;made_[j] 1
tid-8;[unknown] 1
tid-8;made_[j] 1
tid-9;made_[j] 1' ]
}

@test "of a clock that is not that of jitdumps, it is said" {
	# perf_event_attr.use_clockid, bit 25 of the flags of the first event.
	local at

	at=$(("$(od -An -tu8 -j24 -N8 nasty.data)"))
	cp nasty.data other.data
	od -An -tu1 -j$((at + 43)) -N1 nasty.data >byte
	printf '%b' "\\0$(printf %o $(($(cat byte) & ~2)))" |
		dd of=other.data bs=1 seek=$((at + 43)) conv=notrunc status=none
	run ! cmp -s nasty.data other.data
	run -0 --separate-stderr stackcollapse-perf other.data \
		--jitdump "$DATA/jit/nasty.dump"
	[[ $stderr == *"jitdumps differ"* ]]
	stackcollapse-perf -q --clock none --jitdump "$DATA/jit/nasty.dump" \
		nasty.data | diff - <(printf '%s\n' "$output")
	run -0 --separate-stderr stackcollapse-perf nasty.data \
		--jitdump "$DATA/jit/nasty.dump"
	[[ $stderr != *"jitdumps differ"* ]]
}

@test "stacks are unwound through code by the rules in the jitdump" {
	local prog=$top_builddir/t/jit/jitprog

	[ -x "$prog" ] || skip "t/jit/jitprog is not built"
	[ "$(uname -m)" = x86_64 ] || skip "t/jit/jitprog makes code of x86-64"
	perf record -q -k mono -e cpu-clock -F 199 --call-graph dwarf,8192 \
		-o perf.data "$prog" 2>err || skip "perf cannot record: $(cat err)"
	stackcollapse-perf --no-inline perf.data >got
	grep ';made;' got >through
	run ! grep -q -v -E \
		'^jitprog(;_start;__libc_start[^;]*;[^;]*)?;main;enter;made;spin[; ]' \
		through
	# Hardly anything else was executed.
	[ "$(foldmerge got | awk '{ n += $NF } END { print n }')" -lt \
		"$(awk '{ n += 2 * $NF } END { print n }' through)" ]
	# Without the dump they end there.
	mv jit-*.dump elsewhere
	stackcollapse-perf -q perf.data >without
	grep -q '^jitprog;' without
	run ! grep -q ';main;enter' without
	stackcollapse-perf -q --no-inline --jitdump elsewhere perf.data |
		cmp - got
}

@test "--insns adds the instruction to text, too" {
	dump 7 <<-'END'
	load 1000000100 1000 64 2 f
	END
	text >in <<-'END'
	app 7/7 2.500000: 1 cycles: 
	  ffffffff81000000 irq+0x0 ([kernel.kallsyms])
	            1018 [unknown] ([unknown])
	            1001 [unknown] (//anon)
	            2010 main+0x1 (/bin/app)

	app 7/7 2.600000: 1 cycles: 
	              5c g+0x1c (/tmp/jitted-7-1.so)
	              50 g+0x10 (/tmp/jitted-7-1.so)

	app 7/7 2.700000: 1 cycles: 
	            2010 main+0x1 (/bin/app)

	END
	stackcollapse-jitdump -q --insns in | sed 's/+18 [^_]*/+18/' >got
	diff got - <<-'END'
	app;g_[j];g_[j];+1c_[j] 1
	app;main 1
	app;main;f_[j];f_[j];+18_[j];irq 1
	END
}

@test "--insns adds the instruction that was executed, not those of callers" {
	local offset what

	stackcollapse-jitdump -q --insns --jitdump "$DATA/jit/nasty.dump" \
		nasty.data >got
	grep -q -E ';after_close_\[j\];\+20( dec rdi)?_\[j\] ' got
	run ! grep -q ';+.*;+' got
	# Without the instructions it is the same profile.
	sed 's/;+[^;]*_\[j\]//' got | foldmerge >without
	stackcollapse-jitdump -q --jitdump "$DATA/jit/nasty.dump" nasty.data |
		cmp - without
	grep -q ';+20 ' got || skip "no libcapstone here"
	# What objdump makes of the code of the last function that was loaded.
	command -v objdump >/dev/null || skip "no objdump here"
	offset=$(grep -a -b -o after_close "$DATA/jit/nasty.dump" | cut -d : -f 1)
	tail -c +$((offset + 13)) "$DATA/jit/nasty.dump" | head -c 128 >code
	what=$(objdump -D -b binary -m i386:x86-64 -M intel code |
		awk '$1 == "20:" { sub(/.*\t/, ""); $1 = $1; print }')
	grep -q -F ";+20 ${what}_[j] " got
}
