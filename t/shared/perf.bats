#!/usr/bin/env bats
# perf.bats - comparison with perf script, on the shared recordings.
# Tests in this folder need data that is not in the repository, ../shared or
# $SHARED, and are skipped without it.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# chain TID N: a sample with a chain of N frames in user mode.
chain() {
	printf '9 2 8:0x1000 4:%d 4:%d 8:0 8:%d 8:0xfffffffffffffe00' \
		"$1" "$1" $(($2 + 1))
	printf ' 8:%d' $(seq 4096 $((4095 + $2)))
	echo
}

# copied SIZE COUNT: a recording of stacks of code without rules, whose copies
# of SIZE bytes end before its frame pointer; and of one that goes on elsewhere.
copied() {
	local i zeros

	zeros=$(yes 8:0 | head -n $(($1 / 8)) | tr '\n' ' ')
	{
		cat <<-END
			64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:$1 36:0
			80 0 8:6 4:64 64:'x86_64
			1 2 4:7 4:7 8:0x400000 8:0x1000 8:0 8:'/bin/x 4:7 4:7 8:0
			9 2 8:0x400100 4:7 4:7 8:1 8:0 8:2 8:0x20000 8:0x7000 8:0x400100 8:$1 $zeros 8:$1
		END
		for ((i = 0; i < $2; i++)); do
			echo "9 2 8:0x400100 4:7 4:7 8:1 8:0 8:2 8:0x8000" \
				"8:0x7000 8:0x400100 8:$1 $zeros 8:$1"
		done
	} | "$top_builddir/t/programs/mkperf"
}

# vdso PID START: a process with a vdso, and samples all over it.
vdso() {
	local at

	echo "1 2 4:$1 4:$1 8:$2 8:0x2000 8:0 8:'[vdso] 4:$1 4:$1 8:0"
	for ((at = $2; at < $2 + 0x2000; at += 16)); do
		echo "9 2 8:$at 4:$1 4:$1 8:1"
	done
}

# All fixtures that are not ours to ship, where they lie.  The oracle is
# perf's text, read by us: cleaning names is tested elsewhere.

# What perf does wrong, made right; each line says why.
mend() {
	case $1 in
	dwarf_truncated)
		# perf takes stale bytes behind the copied stack for a caller.
		sed 's/^p_deep_nofp;\[unknown\];/p_deep_nofp;[truncated];/'
		;;
	offcpu_switch | offcpu_tp | pipe_tp | threads_switch)
		# A chain of 127 addresses that are none, of a broken frame
		# pointer: the kernel takes no more of them.
		sed -E 's/^([^;]*);((\[unknown\];){100})/\1;[truncated];\2/' |
			sort
		;;
	vdso)
		# perf names the PLT by the symbol before it, _init.
		awk '$1 ~ /;_init$/ {
			print "p_vdso;__libc_start_call_main;main;" \
				"clock_gettime@plt 1003009"
			print "p_vdso;__libc_start_call_main;main;" \
				"gettimeofday@plt 2006018"
			next
		}
		{ print }' | sort
		;;
	*)
		cat
		;;
	esac
}

# The same for callers, which perf looks up behind their call: that of _start
# in ld.so is its last instruction, so that perf takes what begins there.
mend_callers() {
	sed 's/;_dl_start_user;/;_start;/' | sort
}

# but_for_callers RIGHT OURS: whether these are the same but for what perf does
# not know of callers: one frame more on a stack, that of the function that
# called one without a frame, and the mark [truncated] where perf has frames
# [unknown], or nothing, because the stack goes on.
but_for_callers() {
	awk '
	function bare(stack,	comm) {
		comm = stack
		sub(/;.*/, "", comm)
		stack = substr(stack, length(comm) + 1)
		sub(/^(;\[unknown\]|;\[truncated\])+/, "", stack)
		return comm stack
	}
	# Take as much of a count as perf has of a stack; return the rest.
	function take(stack, n,	some) {
		some = n < right[stack] ? n : right[stack]
		right[stack] -= some
		return n - some
	}
	function without(stack, n,	i, k, part, shorter) {
		k = split(stack, frame, ";")
		for (i = 2; i <= k && n > 0; i++) {
			shorter = frame[1]
			for (part = 2; part <= k; part++)
				if (part != i)
					shorter = shorter ";" frame[part]
			if (shorter in right)
				n = take(shorter, n)
		}
		return n
	}
	{
		n = $NF
		sub(/ [^ ]*$/, "")
	}
	FNR == NR { right[bare($0)] += n; next }
	{
		ours[bare($0)] += n
		depth = split($0, frame, ";")
		deepest = depth > deepest ? depth : deepest
	}
	END {
		# Deep ones first: they may be what another one is without a frame.
		for (depth = deepest; depth > 0; depth--)
			for (stack in ours) {
				if (split(stack, frame, ";") != depth)
					continue
				n = ours[stack]
				if (stack in right)
					n = take(stack, n)
				n = without(stack, n)
				if (n > 0) {
					print "# not perf:", stack, n
					bad = 1
				}
			}
		for (stack in right)
			if (right[stack] > 0) {
				print "# only perf:", stack, right[stack]
				bad = 1
			}
		exit bad
	}' "$1" "$2"
}

shared_fold() {
	stackcollapse-perf -q --no-inline \
		--symfs "$SHARED/fixtures/perf/symfs" \
		--kallsyms "$SHARED/fixtures/perf/symfs/kallsyms" "$@"
}

shared_cases() {
	basename -s .symfs.folded "$SHARED"/fixtures/perf/*.symfs.folded
}

@test "--no-demangle leaves names as compilers made them" {
	need_shared fixtures/perf
	local file=$SHARED/fixtures/perf/rust_v0.perf.data

	run -0 shared_fold --no-demangle "$file"
	[[ $output == *";_R"* ]]
	run -0 shared_fold "$file"
	[[ $output != *";_R"* ]]
}

@test "--debug-dir is where debug files are looked for" {
	need_shared fixtures/perf
	local file=$SHARED/fixtures/perf/fp_basic.perf.data

	run -0 shared_fold "$file"
	[[ $output == *"p_fp;__libc_start_call_main;main"* ]]
	run -0 shared_fold --debug-dir "$BATS_TEST_TMPDIR" "$file"
	[[ $output == *"p_fp;[libc.so.6];main"* ]]
}

@test "every shared recording gives what perf script says, but for its errors" {
	need_shared fixtures/perf
	local case dir=$SHARED/fixtures/perf tmp=$BATS_TEST_TMPDIR failed=0
	local -a opts

	for case in $(shared_cases); do
		zcat "$dir/$case.symfs.script.gz" | stackcollapse-perf -q |
			mend "$case" >"$tmp/right"
		opts=()
		! grep -qw "$case" <<<"$page_fault_cases" ||
			opts=(--event-filter page-faults)
		shared_fold "${opts[@]}" --caller-address exact \
			"$dir/$case.perf.data" >"$tmp/exact"
		mend_callers <"$tmp/right" >"$tmp/right-call"
		shared_fold "${opts[@]}" "$dir/$case.perf.data" | sort >"$tmp/call"
		if ! but_for_callers "$tmp/right" "$tmp/exact" ||
			! but_for_callers "$tmp/right-call" "$tmp/call"; then
			echo "# $case"
			failed=1
		fi
	done
	[ $failed -eq 0 ]
}

# Where stackcollapse-perf.pl reads perf's text in another way than we do:
#	cpp_dwarf cpp_fp rust_v0	names are cut at the first "("
#	deleted_attach			" (deleted)" leaves a frame "[unknown] "
#	no_callgraph			samples of one line are left out
#	per_thread			without times, a period is not seen
#	pipe_tp uprobe_handle		heads of tracepoints have no event
#	offcpu_switch offcpu_tp threads_switch	";" in a name makes two frames
odd_cases="cpp_dwarf cpp_fp rust_v0 deleted_attach no_callgraph per_thread
	pipe_tp uprobe_handle offcpu_switch offcpu_tp threads_switch"

# The script counts the event of the first sample, page faults in these two; we
# count the first event of the header, cpu-clock.
page_fault_cases="identifier multi_event"

@test "every shared recording gives FlameGraph's folded text, but for errors" {
	need_shared fixtures/perf
	local case dir=$SHARED/fixtures/perf tmp=$BATS_TEST_TMPDIR failed=0
	local -a opts

	for case in $(shared_cases); do
		! grep -qw "$case" <<<"$odd_cases" || continue
		mend "$case" <"$dir/$case.symfs.folded" >"$tmp/right"
		opts=(--caller-address exact)
		! grep -qw "$case" <<<"$page_fault_cases" ||
			opts+=(--event-filter page-faults)
		shared_fold "${opts[@]}" "$dir/$case.perf.data" >"$tmp/out"
		but_for_callers "$tmp/right" "$tmp/out" || failed=1
	done
	[ $failed -eq 0 ]
}

# Sums by the first frame: "tid-7 1234", sorted.
sums() {
	awk '{ sub(/;.*/, "", $1); n[$1] += $NF }
		END { for (i in n) print i, n[i] }' | sort
}

threads() {
	echo "73 0 8:1 8:7 16:'demo"
}

@test "threads whose return was not recorded are said, and not guessed" {
	need_shared fixtures/perf
	local file=$SHARED/fixtures/perf/offcpu_tp.perf.data

	run -0 --separate-stderr stackcollapse-perf --wall --root tid "$file"
	[[ $stderr == *"% of the threads' time is unknown"* ]]
	[[ $output == *";state:unknown "* ]]
	# Nothing is lost of what there is: 0.3 s of each of four threads.
	sums <<<"$output" | awk '$2 < 290000000 || $2 > 310000000 { exit 1 }'
}

@test "the recording of the shared data is split as expected" {
	local dir=$SHARED/fixtures/perf part

	need_process_side
	need_shared fixtures/perf/uprobe_handle.perf.data
	stackcollapse-perf -q --samples --event-filter all --symfs "$dir/symfs" \
		--kallsyms "$dir/symfs/kallsyms" --caller-address exact \
		"$dir/uprobe_handle.perf.data" |
		sed s/__x64_sys_uretprobe/__ia32_sys_uretprobe/ >handle
	for part in slow fast outside; do
		foldsplit --call probe_p_handle:handle --only $part handle |
			grep -v '^#' | LC_ALL=C sort >"$part"
		but_for_callers "$dir/uprobe_handle.expected.$part.folded" "$part"
	done
	foldsplit --call probe_p_handle:handle --list all handle |
		awk -F '\t' 'NR > 1 {
			sub(/\./, "", $1)
			print $2, $1, $3, $4 ~ />/ ? "slow" : "fast"
		}' >list
	awk 'NR > 1 { print $1, $2, $4, $6 }' \
		"$dir/uprobe_handle.expected.calls.tsv" | diff list -
	foldsplit --call probe_p_handle:handle --report=tsv handle >report
	[ "$(grep -c '^calls	800$\|^nested	0$\|^stray	0$\|^open	0$\|^p50	212001$\|^p95	275764$\|^longest	3484923$' report)" -eq 7 ]
	grep -q '^outside	0	254	' report
	grep -q '^handle <= p95	760	668	' report
	grep -q '^handle > p95 (276 us)	40	543	' report
}
