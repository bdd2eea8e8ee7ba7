#!/usr/bin/env bats
# foldcolor.bats - what foldcolor(1) and palette(5) promise.
# shellcheck disable=SC1003,SC2016 # patterns and names with dollars

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >p.palette <<-'END'
	# one class of each kind
	class hot suffix=j light=ff0000
	class cold suffix=0 light=0000ff
	class plain light=808080
	rule hot /^h/
	rule cold /^c/i
	rule plain //
	END
}

# colour RULES STACKS...: the stacks with a palette of classes a (suffix j),
# b (1), c (0), and these rules.
colour() {
	printf 'class %s light=0000ff\n' 'a suffix=j' 'b suffix=1' \
		'c suffix=0' >made.palette
	printf '%s\n' "$1" >>made.palette
	shift
	printf '%s\n' "$@" | foldcolor -p ./made.palette
}

@test "frames get the suffix of their class" {
	run -0 foldcolor -p ./p.palette <<<$'main;hop;Cut;x 3\nmain 4'
	[ "$output" = $'main;hop_[j];Cut_[0];x 3\nmain 4' ]
}

@test "a suffix that is there stays, and the pattern does not see it" {
	run -0 colour 'rule a /^f$/' 'f_[k];f;f_[x] 1'
	[ "$output" = 'f_[k];f_[j];f_[x] 1' ]
	run -0 colour $'rule a suffix=k /f/\nrule b /f/' 'f_[k];f;g_[k] 1'
	[ "$output" = 'f_[k];f_[1];g_[k] 1' ]
}

@test "the first rule that holds wins" {
	run -0 colour $'rule b /x/\nrule a /^x/' 'x;y 1'
	[ "$output" = 'x_[1];y 1' ]
}

@test "caller= and callee= ask for the frame above and below" {
	run -0 colour $'rule b caller=/^jit/ //\nrule c /^nobody$/' \
		'jit;x;y 1' 'x;jit;jit 2'
	[ "$output" = $'jit;x_[1];y 1\nx;jit;jit_[1] 2' ]
	run -0 colour 'rule b callee=/^jit/ /x/' 'x;jit;x 1' 'xx 2' 'x;x;jit 3'
	[ "$output" = $'x_[1];jit;x 1\nxx 2\nx;x_[1];jit 3' ]
}

@test "under= asks for any frame above" {
	run -0 colour 'rule b under=/^lock/ //' 'a;lock;b;c 1' 'b;c 1'
	[ "$output" = $'a;lock;b_[1];c_[1] 1\nb;c 1' ]
}

@test "a class that is asked for is the one without context" {
	run -0 colour $'rule b caller=a //\nrule a /^j/' 'j;j;x;y 1'
	[ "$output" = 'j_[j];j_[1];x_[1];y 1' ]
	# x is b only by its place, so y has no caller of class b
	run -0 colour $'rule c caller=b //\nrule b caller=a //\nrule a /^j/' \
		'j;x;y 1'
	[ "$output" = 'j_[j];x_[1];y 1' ]
}

@test "a rule with several conditions holds where all are so" {
	run -0 colour 'rule b caller=/^p/ under=/^r/ callee=/^q/ /x/' \
		'r;p;x;q 1' 'p;x;q 2' 'r;x;q 3' 'r;p;x 4'
	[ "$output" = $'r;p;x_[1];q 1\np;x;q 2\nr;x;q 3\nr;p;x 4' ]
}

@test "the pattern of a condition may hold blanks, slashes and an i" {
	run -0 colour 'rule b caller=/^A b\/c/i /x y/' 'a B/c;x y 1' 'ab/c;x y 2'
	[ "$output" = $'a B/c;x y_[1] 1\nab/c;x y 2' ]
}

@test "more conditions than a word has bits" {
	rules=$(for i in $(seq 150); do
		echo "rule b caller=/^n$i\$/ under=/^u$i\$/ /^x$i\$/"
	done)
	run -0 colour "$rules" 'u1;n1;x1 1' 'u150;n150;x150 1' 'u149;n150;x150 1'
	[ "$output" = $'u1;n1;x1_[1] 1\nu150;n150;x150_[1] 1\nu149;n150;x150 1' ]
}

@test "renames change names before the rules, and stacks merge, sorted" {
	rules=$'rename s/^(\\w+)-\\d+$/$1/\nrule a /^worker$/'
	run -0 colour "$rules" 'worker-9;b 1' 'worker-12;b 2.5' 'a 1'
	[ "$output" = $'a 1\nworker_[j];b 3.5' ]
	run -0 colour "$rules" 'worker-9_[k] 1'
	[ "$output" = 'worker_[k] 1' ]
}

# renamed RULE NAME: what the rule makes of it.
renamed() {
	echo "rename $1" >r.palette
	echo "$2 1" | foldcolor -p ./r.palette | sed 's/ 1$//'
}

@test "replacements are as in Perl" {
	[ "$(renamed 's/b/x/' abcb)" = axcb ]
	[ "$(renamed 's/b/x/g' abcb)" = axcx ]
	[ "$(renamed 's/B/x/gi' abcb)" = axcx ]
	[ "$(renamed 's/(a)(b)?/[$1|$2|${1}0|\2|$&]/' ac)" = '[a||a0||a]c' ]
	[ "$(renamed 's/\/x/\/\$\\/' a/x)" = 'a/$\' ]
	[ "$(renamed 's/x*/-/g' abc)" = '-a-b-c-' ]
	[ "$(renamed 's/x*/-/g' äx)" = '-ä--' ]
	[ "$(renamed 's/(?<=a)b/x/g' abbab)" = axbax ]
	[ "$(renamed 's/$/;tail/' f)" = 'f:tail' ]
	[ "$(renamed 's/.*//' f)" = f ]
	[ "$(renamed 's/^/#/' f)" = '\x23f' ]
	[ "$(renamed 's/$/_[j]/' f)" = 'f_[j]' ]
	[ "$(renamed 's/$/_[j]/' 'f_[k]')" = 'f_[k]' ]
	# Perl is not asked where its meaning is another one: $$, @x.
	for try in 's/(.)(.)/$2$1/g' 's/\d+/N/g' 's/(^|,)a*/$1-/g'; do
		for name in 'ab12,aa,b' 'äöü1' 'aaa' 'x9y'; do
			[ "$(renamed "$try" "$name")" = \
				"$(NAME=$name perl -Mutf8 -CO -e "\$_ = \$ENV{NAME};
				utf8::decode(\$_); $try; print")" ]
		done
	done
}

@test "renames do not merge samples, nor over the end of a snapshot" {
	echo 'rename s/\d+$//' >r.palette
	run -0 foldcolor -p ./r.palette <<-'END'
	#fold=1;clock=perf
	#time=1.000000000
	b1 1
	#time=2.000000000
	b2 1
	END
	[ "$output" = $'#fold=1;clock=perf\n#time=1.000000000\nb 1\n#time=2.000000000\nb 1' ]
	run -0 foldcolor -p ./r.palette <<-'END'
	#fold=1;time=1.000000000;dur=1.000000000
	b1 1
	a 1
	b2 1

	#fold=1;time=2.000000000;dur=1.000000000
	b3 1

	END
	[ "$output" = $'#fold=1;time=1.000000000;dur=1.000000000\na 1\nb 2\n\n#fold=1;time=2.000000000;dur=1.000000000\nb 1' ]
}

@test "two counts are kept, and merged by columns" {
	run -0 foldcolor -p ./p.palette <<<$'#fold=1;counts=2\nh 1 0\nc 0 2.5'
	[ "$output" = $'#fold=1;counts=2\nh_[j] 1 0\nc_[0] 0 2.5' ]
	echo 'rename s/\d+$//' >r.palette
	run -0 foldcolor -p ./r.palette <<<$'#fold=1;counts=2\nb1 1 0\nb2 1 2.5'
	[ "$output" = $'#fold=1;counts=2\nb 2 2.5' ]
}

@test "the example of palette(5) marks what it says" {
	sed -n '/^include/,/^\.Ed$/{/^\./!p;}' "$top_srcdir/man/palette.5" >p.palette
	run -0 foldcolor -p ./p.palette <<-'END'
	main;f_[j];a::b 2
	main;lock;pthread_mutex_lock;futex 1
	END
	[ "$output" = $'main;f_[j];a::b_[w] 2\nmain;lock;pthread_mutex_lock;futex_[w] 1' ]
}

@test "chain marks the frames after --, which flamegraph then colours" {
	run -0 foldcolor -p chain <<<'a;f;--;h;i 3'
	[ "$output" = 'a;f;--;h_[w];i_[w] 3' ]
}

@test "lines and metadata stay in their order" {
	printf '%s\n' '#fold=1;unit=ns' 'h 2' '#time=1.000000000;pid=7' 'a 1' \
		'' 'c 1' >in
	run -0 foldcolor -p ./p.palette in
	[ "$output" = $'#fold=1;unit=ns\nh_[j] 2\n#time=1.000000000;pid=7\na 1\n\nc_[0] 1' ]
}

@test "a header of one file does not hold for the next" {
	printf '%s\n' '#fold=1;unit=ns' 'a 2' >one
	echo 'a 1' >two
	run -0 foldcolor -p ./p.palette one two
	[ "$output" = $'#fold=1;unit=ns\na 2\n#fold=1;counts=1\na 1' ]
	printf '#fold=1;counts=2\nb 1 2\n' >pairs
	foldcolor -p ./p.palette pairs two >mixed
	run -0 --separate-stderr foldcolor --list -p ./p.palette mixed
	[ -z "$stderr" ]
	run -0 foldcolor -p ./p.palette two one
	[ "$output" = $'a 1\n#fold=1;unit=ns\na 2' ]
	echo 'a 1 2' >three
	run -2 --separate-stderr foldcolor -p ./p.palette two three
	[[ $stderr == *'three:1: 2 counts'* ]]
}

@test "verdicts are left out" {
	printf '#fold=1;counts=2;test=1\n#node=a;class=up;lo=1;hi=2;q=0.1\na 1 2\n' >d
	run -0 foldcolor -p ./p.palette d
	[ "$output" = $'#fold=1;counts=2\na 1 2' ]
}

@test "what is not clean is written clean, once, with its class" {
	printf 'a;h\001\xff;c\xc3\xa4 1\n' >in
	run -0 foldcolor -p ./p.palette in
	[ "$output" = 'a;h\x01\xff_[j];cä_[0] 1' ]
}

@test "--list says what each rule took" {
	printf '%s\n' 'h1;h2;h1 3' 'h1;c 4' 'z 0.5' >in
	run -0 foldcolor -p ./p.palette --list in
	[ "${lines[1]}" = '       2              7  p.palette:5: rule hot /^h/' ]
	[ "${lines[2]}" = '       1              4  p.palette:6: rule cold /^c/i' ]
	[ "${lines[3]}" = '       1            0.5  p.palette:7: rule plain //' ]
	[ "${lines[4]}" = '       0              0  no rule' ]
	echo 'rename s/\d$//' >>p.palette
	run -0 foldcolor -p ./p.palette --list in
	[ "${lines[1]}" = '       2              -  p.palette:8: rename s/\d$//' ]
	[ "${lines[2]}" = '       1              7  p.palette:5: rule hot /^h/' ]
}

@test "errors are said all at once, with file, line and column" {
	cat >bad.palette <<-'END'
	class a light=123456
	class b light=12345
	rule a /(/
	rule nobody /x/
	  rule a caller=c /x/
	rule a suffix=z /x/
	rule a caller=/x( /x/
	rename s/(a)/$2/
	rename s/a/b
	rename s/[/b/
	colour red
	rule a x
	rule a /x/g
	include nowhere
	include ./no.palette
	END
	for command in 'foldcolor -p' 'flamegraph --colors'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr $command ./bad.palette <<<'a 1'
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 14 ]
		for at in 2:15: 3:10: 4:6: 5:17: 6:15: 7:20: 8:16: 9:8: 10:11: \
			11:1: 12:8: 13:11: 14:1: 15:1:; do
			[[ $stderr == *"./bad.palette:$at "* ]]
		done
	done
}

@test "a runaway pattern is stopped, counted, and status 1" {
	printf '%s\n' 'class a suffix=j light=123456' 'rule a /^(a+)+$/' \
		>slow.palette
	name=$(head -c 300 /dev/zero | tr '\0' a)b
	for i in $(seq 60); do
		echo "$name$i 1"
	done >in
	sed -i '1i aaa 1' in
	echo 'aa 1' >>in
	run -1 --separate-stderr timeout 60 foldcolor -p ./slow.palette in
	[ "${#lines[@]}" -eq 62 ]
	# After fifty, it is not searched for any more.
	[ "${lines[0]}" = 'aaa_[j] 1' ]
	[ "${lines[61]}" = 'aa 1' ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	# Its count has those that it was not searched in, "aa" among them.
	long='slow.palette:2: the pattern took too long for 61 texts, counted'
	cut=${name:0:80}...
	[[ $stderr == *"$long as no match: $cut" ]]
	run -1 --separate-stderr timeout 60 flamegraph --colors ./slow.palette in
	[[ $stderr == *"$long"*"$cut" ]]
	run -1 --separate-stderr foldcolor -q -p ./slow.palette in
	[ -z "$stderr" ]
}

# names of 100 kB that make careless patterns read them again and again
long_names() {
	awk '
	function times(s, n,  r) {
		for (r = ""; n > 0; n = int(n / 2)) {
			if (n % 2)
				r = r s
			s = s s
		}
		return r
	}
	BEGIN {
		n = split("a a/ a. a$ a< <a < a<> [ ( :: :1 1_ aB _blob a_blob " \
			".part.0 LambdaForm$a $$Lambda a$1 -1-liftoff a-> a@ \\x", u, " ")
		m = split("|a/|py:|JS:wasm-function[1]|julia_|TRACE-1$|L|int |java/A$",
			start, "|")
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++)
				print start[j] times(u[i], 100000 / length(u[i])) "! 1"
		print times("a<", 33333) times(">", 33333) " 1"
		print times(times("a<", 31) ">", 1587) " 1"
		print "a<" times("a<b>", 25000) " 1"
	}'
}

@test "no pattern of a palette of ours takes too long for a name of 100 kB" {
	long_names >long
	for palette in "$top_srcdir"/share/palettes/*.palette; do
		run -0 --separate-stderr timeout 600 foldcolor --list \
			-p "$palette" long
		[ -z "$stderr" ]
	done
}

@test "templates are one function down to 32 in one another" {
	deep() { printf 'a<%.0s' $(seq "$1"); printf '>%.0s' $(seq "$1"); echo " 1"; }

	run -0 foldcolor -p templates < <(deep 32)
	[ "$output" = 'a<> 1' ]
	run -0 foldcolor -p templates < <(deep 33)
	[ "$output" = 'a<a<>> 1' ]
}

@test "--check finds rules that are never reached" {
	run -0 --separate-stderr foldcolor --check -p ./p.palette
	[ -z "$stderr" ]
	[ -z "$output" ]
	printf '%s\n' 'rule hot /z/' >>p.palette
	run -0 --separate-stderr foldcolor --check -p ./p.palette
	[[ $stderr == *'p.palette:8: this rule never matches: ./p.palette:7 '* ]]
	run -1 foldcolor --check --strict -p ./p.palette
}

@test "shipped palettes have neither errors nor doubts" {
	for p in "$top_srcdir"/share/palettes/*.palette; do
		echo "$p"
		run -0 --separate-stderr foldcolor --check -p "$p"
		[ -z "$stderr" ]
	done
}

@test "several palettes are one after another, each is read once" {
	echo 'class hot suffix=1 light=00ff00
rule hot /^x/
include ./p.palette' >q.palette
	run -0 foldcolor -p ./q.palette -p ./p.palette <<<'x;h;c 1'
	[ "$output" = 'x_[1];h_[1];c_[0] 1' ]
	echo 'include ./loop.palette' >loop.palette
	run -0 foldcolor -p ./loop.palette <<<'x 1'
	[ "$output" = 'x 1' ]
}

@test "without an installation, all palettes are built in" {
	local palette

	cp "$top_builddir/cmd/foldcolor" here
	for palette in "$top_srcdir"/share/palettes/*.palette; do
		palette=${palette##*/}
		XDG_DATA_DIRS=$PWD HOME=$PWD run -0 --separate-stderr \
			./here -p "${palette%.palette}" <<<'a 1'
		[ -z "$stderr" ] && [[ $output == a* ]]
	done
	XDG_DATA_DIRS=$PWD HOME=$PWD run -0 ./here <<<'JS:*f;main 1'
	[ "$output" = 'JS:*f_[j];main 1' ]
	cmp <(XDG_DATA_DIRS=$PWD HOME=$PWD ./here --list <<<'a 1' |
		sed 's/.*: //') <(foldcolor --list <<<'a 1' | sed 's/.*: //')
}

@test "the palette jit knows the names of run-time compilers" {
	grep -v '^#' "$DATA/jitnames.tsv" >table
	[ "$(wc -l <table)" -gt 90 ]
	cut -f 2 table | tr ';' ':' | sed 's/$/ 1/' | foldcolor >out
	paste <(cut -f 1 table) <(sed 's/ 1$//' out) | awk -F '\t' '
	{
		got = match($2, /_\[[kjiw01]\]$/) ? substr($2, RSTART + 2, 1) : "-"
		if (got != $1) {
			print $2 ": not " $1
			bad = 1
		}
	}
	END { exit bad }'
}

@test "names that are not only Java's are taken below a JVM" {
	printf '%s 1\n' 'java;Hot.sum' 'java-4711;[truncated];Hot.sum' \
		'JavaCalls::call_helper;shop.Order.total' \
		'java.lang.Thread.run;Hot.sum' >in
	run -0 foldcolor in
	[ "$(grep -c '_\[j\] 1$' <<<"$output")" -eq 4 ]
	# Ruby, Swift, Go, and Chrome's trace events.
	printf '%s 1\n' '<main>;User.find' 'main;App.start' \
		'main.main;bytes.Buffer.Write' 'V8.GCScavenger' | sort >in
	run -0 foldcolor in
	[ "$output" = "$(cat in)" ]
}

@test "what the kernel's entries call is the kernel's" {
	run -0 foldcolor <<<'main;read;entry_SYSCALL_64_after_hwframe;java.util.Map.get;x 1'
	[ "$output" = 'main;read;entry_SYSCALL_64_after_hwframe_[k];java.util.Map.get_[k];x_[k] 1' ]
}

@test "a class in one package is Java's where a JVM is above it" {
	run -0 foldcolor <<<$'shop.Order.total 1\nJavaThread::run;call_stub;shop.Order.total 1'
	[ "$output" = $'shop.Order.total 1\nJavaThread::run;call_stub_[j];shop.Order.total_[j] 1' ]
}

@test "after names, a function has one name" {
	run -0 foldcolor -p names <<-'END'
	JS:~f /a.js:3_[0];x 1
	JS:*f /a.js:3_[0];x 1
	com.acme.A$$Lambda$12/0x0000000800c03000.run 1
	com.acme.A$$Lambda$13/0x0000000800c03018.run 1
	TRACE-8$A::meth$4 1
	JIT$A::meth 1
	$hot:fib/1 1
	hot:fib/1 1
	core::f::h0123456789abcdef 1
	core::f.cold 1
	Tree#each:/app/tree.rb:7;each - /app/tree.rb:9 1
	Tree#each (/app/tree.rb:8);each (/app/tree.rb) 1
	END
	[ "$output" = 'JIT$A::meth 2
JS:f /a.js:3_[0];x 2
Tree#each (/app/tree.rb);each (/app/tree.rb) 2
com.acme.A$$Lambda.run 2
core::f 2
hot:fib/1 2' ]
	run -0 foldcolor -p templates \
		<<<'std::map<int, std::less<int>>::operator<;a<b->c>::f;A.<init> 1'
	[ "$output" = 'std::map<>::operator<;a<>::f;A.<init> 1' ]
}

@test "after names, colours still are those of the tiers" {
	printf '%s 1\n' 'JS:*f /a.js:3' 'JS:~f /a.js:3' 'JSC-DFG: f' \
		'fib.run/1 (JIT)' '[app] Shop.Order::Total[QuickJitted]' |
		foldcolor | foldcolor -p names | foldcolor --list >out
	for class in 'interp 1' 'jit-base 1' 'jit-opt 3'; do
		echo "$class"
		[ "$(awk -v class="${class% *}" '/: rule / && $5 == class {
			n += $1
		}
		END { print n }' out)" -eq "${class#* }" ]
	done
}

@test "pictures take classes by the changed name, and show the old one" {
	echo 'rename s/\d+$//
class hot light=123456
rule hot /^x$/' >r.palette
	flamegraph --colors ./r.palette --no-deflate <<<'x17 1' >out.svg
	grep -q x17 out.svg
	grep -q 123456 out.svg
}

@test "a recording of node becomes a picture with colours by tier" {
	need_process_side
	stackcollapse-perf -q --kernel "$DATA/perf/jit.in" | foldcolor >out
	grep -q ';Builtins_InterpreterEntryTrampoline_\[0\];' out
	grep -q ';Builtins_JSEntry_\[j\];' out
	run -1 grep -E ';(node|v8)::[^;]*_\[[j01]\]' out
	flamegraph --colors jit --no-deflate out >out.svg
	xmllint --noout --nonet out.svg
	# Of an interpreted frame, of a stub, and of the virtual machine.
	for class in interp stub native; do
		shades=$(sed -n "s/^class $class .*light=\([^ ]*\).*/\1/p" \
			"$top_srcdir/share/palettes/tiers.palette")
		grep -qiE "${shades//,/|}" out.svg
	done
}

# Found by fuzzing: there was no list of rules to look at.
@test "a palette without rules leaves all as it is" {
	: >"$BATS_TEST_TMPDIR/none.palette"
	run -0 foldcolor -p "$BATS_TEST_TMPDIR/none.palette" <<<'main;a 1'
	[ "$output" = 'main;a 1' ]
}
