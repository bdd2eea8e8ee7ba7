#!/usr/bin/env bats
# jit.bats - JIT symbols, on the shared recordings.
# Tests in this folder need data that is not in the repository, ../shared or
# $SHARED, and are skipped without it.

load ../helper

setup() {
	jittest=$top_builddir/t/jit/jittest
	cd "$BATS_TEST_TMPDIR" || return
}

# Each frame of the recordings as a sample of its own, of the command "jit"
# if the file it is in was made at run time, else of "native".
frames_of_recordings() {
	cat "$SHARED"/fixtures/jit/{java-reuse,node-*,perfmap-java25,perfmap-node,php-trace,py313-dwarf}/{inj,sym}.default.txt 2>/dev/null |
		awk '/^[ \t]+[0-9a-f]+ / && !/\[unknown\]/ {
			comm = /(jitted-[0-9]+-[0-9]+\.so|perf-[0-9]+\.map)\)$/ ? \
				"jit" : "native"
			printf "%s 1 1.0: 1 cycles:\n%s\n\n", comm, $0
		}'
}

@test "99 % of the JIT frames of real recordings are known, no native one" {
	need_process_side
	need_shared fixtures/jit
	frames_of_recordings | stackcollapse-perf -q --all | foldcolor |
		awk '
		{
			count = $NF
			sub(/ [0-9]+$/, "")
			known = /_\[[j01]\]$/
		}
		/^jit;/ {
			all += count
			good += known * count
			if (!known)
				print
		}
		# These are V8 and a trampoline of Python inside of programs.
		/^native;/ && known && !/;(Builtins_|py_trampoline_)/ {
			print
			bad = 1
		}
		END {
			print good " of " all
			exit bad || all < 500 || good < 0.99 * all
		}'
}

@test "every frame of the shared recordings has the right name" {
	local dir file pid

	[ -x "$jittest" ] || skip "t/jit/jittest is not built"
	need_shared fixtures/jit
	for dir in node-deopt java-reuse nasty-a php-trace py313-dwarf \
		node-cluster; do
		for file in "$SHARED/fixtures/jit/$dir"/jit-*.dump; do
			pid=${file##*-}
			pid=${pid%.dump}
			awk -F '\t' -v pid="$pid" '!/^#/ && $2 == pid' \
				"${file%/*}/expected.tsv" >expected
			[ -s expected ]
			awk -F '\t' '{ print $1, $2, $5 }' expected |
				"$jittest" at "$file" >exact
			awk -F '\t' '{ print $1, $2, $5 }' expected |
				"$jittest" at "$file" 10 >grace
			# What only a later LOAD has needs the grace.
			awk -F '\t' '{
				name = $6 == "" ? "-" : $6
				print ($7 == "now" ? name : "-") "\t" name
			}' expected | paste - exact grace |
				awk -F '\t' '$1 != $3 || $2 != $4 {
					print FILENAME ": " $0; bad = 1
				}
				END { exit bad }'
		done
	done
}

# What perf calls a frame that it could not name tells nothing, nor does which
# of two names it has for the built-in functions of V8.
same_names() {
	sed 's/\[[^;]*\]/[?]/g; s/Builtins_/Builtin:/g' "$1"
}

@test "names from injected and from plain text agree" {
	local dir file options

	need_shared fixtures/jit
	for dir in node-deopt java-reuse php-trace node-cluster; do
		options=()
		for file in "$SHARED/fixtures/jit/$dir"/jit-*.dump; do
			options+=(--jitdump "$file")
		done
		file=$SHARED/fixtures/jit/$dir
		stackcollapse-perf -q --samples "${options[@]}" \
			"$file/raw.mmap.txt" >raw
		stackcollapse-perf -q --samples "$file/inj.mmap.txt" >injected
		grep -q 'pid=' raw
		diff <(same_names injected) <(same_names raw)
	done
}

@test "text with a jitdump has the instructions that perf.data has" {
	local nasty=$SHARED/fixtures/jit/nasty-a file

	need_shared fixtures/jit/nasty-a
	for file in perf.data raw.mmap.txt; do
		stackcollapse-jitdump -q --insns \
			--jitdump "$nasty/jit-26581.dump" "$nasty/$file" |
			grep -o '[^;]*_\[j\];+[^;]*_\[j\]' | sort >"$file"
		grep -q ';+20' "$file"
	done
	cmp perf.data raw.mmap.txt
}
