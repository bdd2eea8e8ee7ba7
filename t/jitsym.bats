#!/usr/bin/env bats
# jitsym.bats - frames of JIT code get the name of what lay there, then.

load helper

setup() {
	jittest=$top_builddir/t/jit/jittest
	[ -x "$jittest" ] || skip "t/jit/jittest is not built"
	cd "$BATS_TEST_TMPDIR" || return
}

# dump PID <SCRIPT: jit-PID.dump, see t/jit/jittest.c.
dump() {
	"$jittest" write "$1" >"jit-$1.dump"
}

# sample NS PID ADDRESS...: a sample of a stream, root first.
sample() {
	local stack=main frame

	printf '#time=%d.%09d;pid=%d\n' $(($1 / 1000000000)) \
		$(($1 % 1000000000)) "$2"
	for frame in "${@:3}"; do
		stack="$stack;[perf-$2.map <$frame>]"
	done
	echo "$stack 1"
}

# The last frames of a stream's stacks.
leaves() {
	sed -n '/^[^#]/{s/ [0-9]*$//; s/.*;//; p;}'
}

# named SAMPLE_ARGUMENTS...: what jitsym makes of one sample's leaf.
named() {
	(echo '#fold=1;clock=perf' && sample "${@:2}") |
		jitsym -q --no-search --jitdump "$1" | leaves
}

# good_names: raw names on standard input as folded text has them.
good_names() {
	sed 's/;/:/g; s/ *(.*//'
}

@test "damaged dumps are read as far as a careful reader can" {
	local name status counts faults

	tar -xJf "$DATA/jit/damaged.tar.xz"
	while IFS=$'\t' read -r name status counts faults; do
		"$jittest" records "$name.dump" >got
		[ "$(cut -f 1 got)" = "$status" ]
		[ "$status" != reject ] || {
			[ "$(cut -f 2 got)" = "$faults" ]
			continue
		}
		for count in ${counts% *}; do
			grep -q -E "[	 ]$count( |	)" got
		done
		# Long ones are cut there, and only the first few told here.
		faults=${faults:0:100}
		case $(cut -f 3 got) in
		"$faults"*) ;;
		*) false ;;
		esac
	done <expect.tsv
	[ "$(wc -l <expect.tsv)" -eq 25 ]
}

@test "a damaged dump is 0 with a message, 1 with --strict, 2 if it is none" {
	local name status counts faults want

	tar -xJf "$DATA/jit/damaged.tar.xz"
	echo 'main 1' >in
	while IFS=$'\t' read -r name status counts faults; do
		want=0
		[ "$status" != reject ] || want=2
		run "-$want" --separate-stderr jitsym --jitdump "$name.dump" in
		case $status in
		ok) [ -z "$stderr" ] && [ "$output" = "main 1" ] ;;
		partial) [[ $stderr == *"$name.dump: "*" skipped: offset "* ]] ;;
		reject) [[ $stderr == *"$name.dump: cannot read jitdump: $faults" ]] ;;
		esac
		[ "$status" != partial ] ||
			run -1 jitsym --strict --jitdump "$name.dump" in
	done <expect.tsv
	run -0 --separate-stderr jitsym -q --jitdump good.dump in
	[ -z "$stderr" ]
}

@test "a stream's frames are named by what was there at the time" {
	jitsym -q --jitdump "$DATA/jit/nasty.dump" "$DATA/jit/nasty.stream" |
		leaves >got
	good_names <"$DATA/jit/nasty.names" >want
	[ "$(grep -vc '^-' want)" -eq 43 ]
	paste want got | awk -F '\t' '
		$1 == "-" ? $2 !~ /^\[perf-26581.map <[0-9a-f]*>\]$/ : $1 != $2 {
			print; bad = 1
		}
		END { exit bad }'
}

@test "the other byte order means the same" {
	tar -xJf "$DATA/jit/damaged.tar.xz"
	jitsym -q --jitdump good.dump "$DATA/jit/nasty.stream" >want
	jitsym -q --jitdump bigendian.dump "$DATA/jit/nasty.stream" | cmp - want
	"$jittest" lines good.dump >want
	"$jittest" lines bigendian.dump | cmp - want
	grep -q 'src/inl ined.lang:14' want
}

@test "a new claim takes the bytes it overlaps, and no others" {
	dump 7 <<-'END'
	load 100 1000 256 1 large
	load 200 1040 64 2 small
	END
	[ "$(named jit-7.dump 150 7 1050)" = large ]
	[ "$(named jit-7.dump 200 7 103f)" = large ]
	[ "$(named jit-7.dump 200 7 1040)" = small ]
	[ "$(named jit-7.dump 200 7 107f)" = small ]
	[ "$(named jit-7.dump 200 7 1080)" = large ]
	[ "$(named jit-7.dump 200 7 1100)" = "[perf-7.map <1100>]" ]
	[ "$(named jit-7.dump 99 7 1050)" = "[perf-7.map <1050>]" ]
}

@test "a MOVE frees what it leaves, unless somebody else is there already" {
	dump 7 <<-'END'
	load 100 1000 256 1 mover
	load 200 1040 64 2 squatter
	move 300 1000 2000 256 1
	load 400 1000 16 3 late
	END
	[ "$(named jit-7.dump 250 7 1000)" = mover ]
	[ "$(named jit-7.dump 300 7 1000)" = "[perf-7.map <1000>]" ]
	[ "$(named jit-7.dump 300 7 1050)" = squatter ]
	[ "$(named jit-7.dump 300 7 20ff)" = mover ]
	[ "$(named jit-7.dump 400 7 1000)" = late ]
	[ "$(named jit-7.dump 400 7 1010)" = "[perf-7.map <1010>]" ]
}

@test "a name belongs to its LOAD, not to the number a JIT gave it" {
	dump 7 <<-'END'
	load 100 1000 16 5 first
	load 200 2000 16 5 second
	close 250
	move 300 1000 3000 16 5
	END
	[ "$(named jit-7.dump 250 7 1000)" = first ]
	[ "$(named jit-7.dump 250 7 2000)" = second ]
	[ "$(named jit-7.dump 300 7 3000)" = first ]
	[ "$(named jit-7.dump 300 7 2000)" = second ]
}

@test "a MOVE of what was never loaded is said, and names nothing" {
	dump 7 <<-'END'
	load 100 1000 16 5 here
	move 300 4000 1000 16 6
	END
	[ "$(named jit-7.dump 200 7 1000)" = here ]
	[ "$(named jit-7.dump 300 7 1000)" = "[perf-7.map <1000>]" ]
	echo 'main 1' >in
	run -1 --separate-stderr jitsym --strict --jitdump jit-7.dump in
	[[ $stderr == *"MOVE of code that was not loaded"* ]]
}

@test "records out of order are applied in the order of their times" {
	dump 7 <<-'END'
	load 300 1000 16 1 new
	load 200 1000 16 2 old
	END
	[ "$(named jit-7.dump 250 7 1000)" = old ]
	[ "$(named jit-7.dump 350 7 1000)" = new ]
}

@test "--grace names code that was logged a little later, and says so" {
	echo 'load 5000000 1000 16 1 late' | dump 7
	(echo '#fold=1;clock=perf' && sample 3000000 7 1000) >in
	run -0 --separate-stderr jitsym --no-search --jitdump jit-7.dump in
	[[ $output == *'[perf-7.map <1000>]'* ]]
	[[ $stderr == *'1 frame ran at addresses whose code was logged later'* ]]
	run -0 --separate-stderr jitsym --jitdump jit-7.dump --grace 1 in
	[[ $output == *'[perf-7.map <1000>]'* ]]
	run -0 --separate-stderr jitsym --jitdump jit-7.dump --grace 2 in
	[[ $output == *'main;late 1' ]]
	[[ $stderr == *'1 frame ran before its code was logged'* ]]
	run -2 jitsym --grace soon in
}

@test "without times the last one gives the name, and it is said how often" {
	dump 7 <<-'END'
	load 100 1000 16 1 old
	load 200 1000 16 2 new
	load 200 2000 16 3 alone
	END
	cat >in <<-'END'
	main;[perf-7.map <1000>] 1
	main;[perf-7.map <2000>] 2
	END
	run -0 --separate-stderr jitsym --jitdump jit-7.dump in
	[ "$output" = "$(printf 'main;alone 2\nmain;new 1')" ]
	[[ $stderr == *': 1 stack ran at an address that several'* ]]
}

@test "times in ticks are not compared with ns, unless --clock says how" {
	local stream=$DATA/jit/nasty.stream

	tar -xJf "$DATA/jit/damaged.tar.xz"
	jitsym -q --jitdump good.dump "$stream" >exact
	jitsym -q --jitdump good.dump --clock none "$stream" >last
	run ! cmp -s exact last
	run -0 --separate-stderr jitsym --jitdump flag_arch_ts.dump "$stream"
	[[ $stderr == *'flag_arch_ts.dump: its times are processor ticks'* ]]
	jitsym -q --jitdump flag_arch_ts.dump "$stream" | cmp - last
	jitsym -q --jitdump flag_arch_ts.dump --clock ns "$stream" | cmp - exact
	jitsym -q --jitdump flag_arch_ts.dump --clock 0:1:0 "$stream" |
		cmp - exact
	# Ten ticks a ns, from ns 1000 on: (ticks * 102 >> 10) is a little less.
	echo 'load 10000 1000 16 1 f' | dump 7
	[ "$(named jit-7.dump 1000 7 1000)" = '[perf-7.map <1000>]' ]
	(echo '#fold=1' && sample 1995 7 1000 && sample 1996 7 1000) |
		jitsym -q --no-search --clock 10:102:1000 --jitdump jit-7.dump |
		leaves >got
	diff got - <<-'END'
	[perf-7.map <1000>]
	f
	END
	run -2 jitsym --clock 99:1:1 "$stream"
	run -2 jitsym --clock sundial "$stream"
}

@test "a stream of another clock is not compared either" {
	dump 7 <<-'END'
	load 100 1000 16 1 old
	load 200 1000 16 2 new
	END
	(echo '#fold=1;clock=realtime' && sample 150 7 1000) >in
	run -0 --separate-stderr jitsym --jitdump jit-7.dump in
	[[ $output == *'main;new 1' ]]
	[[ $stderr == *"jitdumps differ"* ]]
}

@test "callers are looked up where they call, leaves where they are" {
	dump 7 <<-'END'
	load 100 1000 16 1 a
	load 100 1010 16 2 b
	END
	cat >in <<-'END'
	main;[unknown <1010>] 1
	main;[unknown <1010>];[unknown <1010>] 2
	main;[unknown <1010>];asm_exc_page_fault 4
	main;[unknown <1010>];do_syscall_64_[k] 8
	END
	jitsym -q --jitdump jit-7.dump in >got
	diff got - <<-'END'
	main;a;b 2
	main;b 1
	main;b;asm_exc_page_fault 4
	main;b;do_syscall_64_[k] 8
	END
}

@test "the process is that of metadata, first frame, --pid, module, or the one" {
	mkdir -p root/tmp
	for pid in 1 2 3 4 5; do
		echo "1000 10 of$pid" >"root/tmp/perf-$pid.map"
	done
	one() {
		printf '%b\n' "$1" | jitsym -q --symfs root "${@:2}" | leaves
	}
	[ "$(one '#fold=1;pid=1\nm-2;[perf-4.map <1000>] 1' --pid 3)" = of1 ]
	[ "$(one '#pid=1\nm-2;[perf-4.map <1000>] 1' --pid 3)" = of1 ]
	[ "$(one 'm-2;[perf-4.map <1000>] 1' --pid 3)" = of2 ]
	[ "$(one 'm-2/77;[perf-4.map <1000>] 1' --pid 3)" = of2 ]
	[ "$(one 'm-99;[perf-4.map <1000>] 1' --pid 3)" = of3 ]
	[ "$(one 'm;[perf-4.map <1000>] 1' --pid 3)" = of3 ]
	[ "$(one 'm;[perf-4.map <1000>] 1')" = of4 ]
	[ "$(one 'm;[unknown <1000>] 1')" = '[unknown <1000>]' ]
	[ "$(one 'm;[unknown <1000>] 1' --perf-map root/tmp/perf-5.map)" = of5 ]
	# Nobody else's, where the process is known.
	[ "$(one '#pid=9\nm;[unknown <1000>] 1' \
		--perf-map root/tmp/perf-5.map)" = '[unknown <1000>]' ]
	[ "$(one '#pid=9\nm;[unknown <1000>] 1' --pid-map 5:9 \
		--perf-map root/tmp/perf-5.map)" = of5 ]
	[ "$(one '#pid=9\nm;[unknown <1000>] 1' --pid-map 5:9)" = of5 ]
	run -2 jitsym --pid-map 5 root/tmp/perf-5.map
	run -2 jitsym --pid me root/tmp/perf-5.map
}

@test "of a map's odd lines, the good ones count" {
	printf '%s\n' '0x1000 0x10 hex prefix' '  2000	10	tabs' \
		'3000 10 a' 'no line' '4000 10 first' '4000 10 last' \
		'5000 10 a;b' >m.map
	printf '6000 10 crlf\r\n7000 10 no end' >>m.map
	for a in 1000 2000 3000 4000 5000 6000 7000; do
		echo "m;[unknown <$a>] 1"
	done >in
	run -0 --separate-stderr jitsym --perf-map m.map in
	[ "$stderr" = "jitsym: m.map: 1 of 9 lines skipped" ]
	diff <(printf '%s\n' "$output" | leaves | sort) <(printf '%s\n' a a:b \
		crlf 'hex prefix' last 'no end' tabs)
	run -1 jitsym --strict --perf-map m.map in
	run -2 --separate-stderr jitsym --perf-map nowhere.map in
	[[ $stderr == *'nowhere.map: cannot read perf map'* ]]
}

@test "of several maps the last one names, and what differs is counted" {
	printf '%s\n' '1000 10 old' '2000 10 same' '3000 10 gone' >begin.map
	printf '%s\n' '1000 10 new' '2000 20 same' '4000 10 come' >end.map
	printf 'm;[unknown <%s>] 1\n' 1000 1004 2000 3000 4000 >in
	run -0 --separate-stderr jitsym --perf-map begin.map \
		--perf-map end.map in
	[ "$output" = "$(printf 'm;%s\n' 'come 1' 'gone 1' 'new 2' 'same 1')" ]
	[[ $stderr == *'2 stacks ran at an address that several functions'* ]]
	[[ $stderr == *'2 addresses had other functions in an earlier map'* ]]
	run -0 --separate-stderr jitsym --perf-map end.map in
	[[ $stderr != *owners* ]]
}

@test "signatures of Java are shown as in the source, others left as they are" {
	local expected=(a.B.m\(int\) 'La/B:m(Q)V' 'La/B:m(I[)V'
		'a.B.n(long[][])' 'La/B:n(LX)V') n

	cat >perf-7.map <<-'END'
	1000 10 La/B;m(I)V
	1010 10 La/B;m(Q)V
	1020 10 La/B;m(I[)V
	1030 10 La/B;n([[J)V
	1040 10 La/B;n(LX)V
	END
	for n in {0..4}; do
		run -0 jitsym -q --no-search --args --perf-map perf-7.map \
			--pid 7 <<<"m;[perf-7.map <10${n}0>] 1"
		[ "$output" = "m;${expected[n]} 1" ]
	done
}

@test "--pid-map takes two process ids of 31 bits" {
	local pids

	for pids in 5:x x:5 5 2147483648:1 1:2147483648; do
		run -2 jitsym --pid-map "$pids" </dev/null
	done
	run -0 jitsym --pid-map 2147483647:2147483647 </dev/null
}

@test "jitdumps come before maps, and a map where they have nothing" {
	echo 'load 100 1000 16 1 dumped' | dump 7
	printf '1000 10 mapped\n2000 10 mapped\n' >perf-7.map
	printf 'm;[unknown <%s>] 1\n' 1000 2000 >in
	jitsym --perf-map perf-7.map --jitdump jit-7.dump in >got
	diff got - <<-'END'
	m;dumped 1
	m;mapped 1
	END
}

@test "jitdumps of JavaScriptCore have the thread in their names" {
	mkdir old new none
	for pid in 7 8 9; do
		echo "load 100 1000 16 1 f$pid" | dump $pid
	done
	mv jit-7.dump old/jit-17-7.dump
	mv jit-8.dump new/jit-18-8-aB3_x9
	cp new/jit-18-8-aB3_x9 none/jit-18-8-short
	cp new/jit-18-8-aB3_x9 none/jit-x-8-aB3_x9
	mv jit-9.dump none/jit-1-2-9.dump
	(
		echo '#fold=1;clock=perf'
		sample 150 7 1000
		sample 150 8 1000
		sample 150 9 1000
	) >in
	jitsym -q --no-search --jitdump old --jitdump new in | leaves >got
	printf '%s\n' f7 f8 '[perf-9.map <1000>]' | diff got -
	run jitsym -q --no-search --jitdump none in
	[[ $output != *f8* && $output != *f9* ]]
}

@test "a folder is searched for jitdumps, links and strangers left out" {
	mkdir -p d/.debug/jit/java-jit-1 shared
	echo 'load 100 1000 16 1 deep' | dump 7
	mv jit-7.dump d/.debug/jit/java-jit-1
	echo 'load 100 1000 16 1 linked' | dump 8
	chmod 1777 shared
	ln -s ../jit-8.dump shared
	(
		echo '#fold=1;clock=perf'
		sample 150 7 1000
		sample 150 8 1000
	) >in
	jitsym -q --jitdump d --jitdump . in | leaves >got
	diff got - <<-'END'
	deep
	linked
	END
	run -0 --separate-stderr jitsym --no-search --jitdump shared in
	[[ $stderr == *'shared/jit-8.dump: it is a symbolic link; not used'* ]]
	[[ $output == *'[perf-8.map <1000>]'* ]]
	run -0 --separate-stderr jitsym --trust-maps --jitdump shared in
	[[ $output == *'main;linked 1' ]]
	run -2 jitsym --jitdump nowhere in
}

@test "what is larger than it costs is not read, nor a line without an end" {
	mkdir shared
	echo 'load 100 1000 16 1 f' | dump 9
	mv jit-9.dump shared
	truncate -s 1T shared/jit-9.dump 2>/dev/null || skip "no sparse files"
	chmod 1777 shared
	(echo '#fold=1' && sample 150 9 1000) >in
	run -0 --separate-stderr jitsym --no-search --jitdump shared in
	[[ $stderr == *'shared/jit-9.dump: it has holes; not used'* ]]
	printf '1000 10 zebra\n' >p.map
	truncate -s 1T p.map
	echo 'm;[unknown <1008>] 1' >in
	run -0 --separate-stderr jitsym --perf-map p.map in
	[[ $stderr == *'p.map: 1 of 2 lines skipped'* ]]
	[[ $output == *'m;zebra'* ]]
}

@test "a record that is larger than any code is not read, but those behind it" {
	local at

	echo 'load 100 1000 16 2 behind' | dump 9
	tail -c +41 jit-9.dump >behind
	echo 'load 100 2000 16 1 before' | dump 9
	at=$(wc -c <jit-9.dump)
	printf '\0\0\0\0\0\0\0\300\1\0\0\0\0\0\0\0' >>jit-9.dump
	truncate -s $((at + 0xc0000000)) jit-9.dump 2>/dev/null ||
		skip "no sparse files"
	cat behind >>jit-9.dump
	(echo '#fold=1' && sample 150 9 1000 && sample 150 9 2000) >in
	# ASan itself needs more addresses than that.
	grep -q '^CFLAGS = .*-fsanitize' "$top_builddir/Makefile" ||
		ulimit -v 1000000
	run -0 --separate-stderr jitsym --no-search --jitdump jit-9.dump in
	[[ $stderr == *"offset $at: record LOAD of 3221225472 bytes, skipped"* ]]
	[[ $output == *behind* && $output == *before* ]]
}

@test "what another user left in a shared folder is not believed" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	mkdir shared
	chmod 1777 shared
	echo 'load 100 1000 16 1 f' | dump 4194305
	mv jit-4194305.dump shared
	chown 12345 shared/jit-4194305.dump
	(echo '#fold=1' && sample 150 4194305 1000) >in
	run -0 --separate-stderr jitsym --no-search --jitdump shared in
	[[ $stderr == *'it belongs to another user; not used'* ]]
	[[ $output == *'[perf-4194305.map <1000>]'* ]]
	run -0 jitsym --trust-maps --jitdump shared in
	[[ $output == *'main;f 1' ]]
}

@test "a sorted profile comes out sorted and added up" {
	local i

	printf '1000 10 zebra\n2000 10 ant\n3000 10 Mole\n' >p.map
	for i in 1 2 3; do
		for frame in '[unknown <1008>]' '[unknown <2008>]' B zebra _x \
			'[unknown <3008>]' '[libc.so.6 <55>]' '[unknown <9>]'; do
			for leaf in a '[unknown <2001>]' C; do
				echo "m;f$i;$frame;$leaf 1"
				echo "m$i;$frame;f$i 2"
				echo "$frame;$leaf;$frame 3"
			done
		done
	done >any
	foldmerge any >in
	jitsym -q --perf-map p.map in >got
	foldmerge got | cmp - got
	# The same as naming first, and merging then.
	jitsym -q --perf-map p.map any | foldmerge | cmp - got
	[ "$(wc -l <got)" -lt "$(wc -l <in)" ]
	run ! cmp -s any <(foldmerge any)
	# Two files are two runs.
	jitsym -q --perf-map p.map in in | foldmerge >twice
	foldmerge got got | cmp - twice
}

@test "two counts, snapshots and metadata pass" {
	printf '1000 10 f\n' >p.map
	printf '%s\n' '#fold=1;counts=2;x=y' 'm;[unknown <1000>] 1 2' \
		'm;[unknown <1008>] 3 0.5' '' \
		'#fold=1;counts=1;time=1;dur=1' 'z 7' '#fold=1' 'm;f 1' >in
	jitsym -q --perf-map p.map in >got
	diff got - <<-'END'
	#fold=1;counts=2;x=y
	m;f 4 2.5

	#fold=1;counts=1;time=1;dur=1
	z 7
	#fold=1
	m;f 1
	END
}

# shellcheck disable=SC2016 # $ is a letter of Java
@test "--jit, --args, --no-demangle and --drop-addrs" {
	printf '%s\n' '1000 10 LHot$Shape;sum([LHot$Shape;IJ)D' \
		'2000 10 _ZN3foo3barEi' '3000 10 a->b' >p.map
	printf 'm;[unknown <%s>] 1\n' 1000 2000 3000 9999 '1000>]_[j]' |
		sed 's/_\[j\]>\]/_[j]/' | LC_ALL=C sort >in
	jitsym -q --perf-map p.map in >got
	diff got - <<-'END'
	m;Hot$Shape.sum 1
	m;Hot$Shape.sum_[j] 1
	m;[unknown <9999>] 1
	m;a;b_[i] 1
	m;foo::bar 1
	END
	jitsym -q --jit --args --drop-addrs --perf-map p.map in >got
	diff got - <<-'END'
	m;Hot$Shape.sum(Hot$Shape[], int, long)_[j] 2
	m;[unknown] 1
	m;a_[j];b_[i] 1
	m;foo::bar_[j] 1
	END
	jitsym -q --no-demangle --perf-map p.map in >got
	grep -q -x 'm;_ZN3foo3barEi 1' got
	grep -q -x 'm;LHot$Shape:sum 1' got
}

@test "frames that cannot be named are counted" {
	printf '1000 10 f\n' >p.map
	printf '%s\n' 'm;[unknown]' 'm;[perf-7.map]' 'm;[unknown <1000>]' \
		'm;[unknown <2000>]' 'm;[libc.so.6]' 'm;[libc.so.6 <1000>]' |
		sed 's/$/ 1/' >in
	run -0 --separate-stderr jitsym --perf-map p.map in
	[[ $stderr == *'2 frames without a name have no address either'* ]]
	[[ $stderr == *'1 of 2 frames have no name'* ]]
	[[ $output == *'[libc.so.6 <1000>] 1'* ]]
}

@test "a dump that is spoilt anywhere names nothing wrong, and ends well" {
	local i size

	size=$(stat -c %s "$DATA/jit/nasty.dump")
	for ((i = 40; i < size; i += 97)); do
		head -c "$i" "$DATA/jit/nasty.dump" >cut.dump
		jitsym -q --jitdump cut.dump "$DATA/jit/nasty.stream" >cut.out
		cp "$DATA/jit/nasty.dump" changed.dump
		printf '\377\376' |
			dd of=changed.dump bs=1 seek="$i" conv=notrunc status=none
		jitsym -q --jitdump changed.dump "$DATA/jit/nasty.stream" >out ||
			[ $? -eq 2 ]
	done
	# What is there is still right, as long as nothing is missing.
	jitsym -q --jitdump "$DATA/jit/nasty.dump" "$DATA/jit/nasty.stream" |
		leaves >whole
	head -c 3000 "$DATA/jit/nasty.dump" >cut.dump
	jitsym -q --jitdump cut.dump "$DATA/jit/nasty.stream" | leaves >out
	diff <(head -n 20 out) <(head -n 20 whole)
	run ! cmp -s out whole
}
