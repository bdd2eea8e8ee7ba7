# cost.sh - what recording calls takes of the CPU, reckoned from a count of them,
# for slowflame.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

# The time now, and that of a CPU that the processes have taken, in seconds.
times_now() {
	read -r uptime _ </proc/uptime
	for process in $(echo "$pid$others" | tr , ' '); do
		sed 's/.*) //' "/proc/$process/stat" 2>/dev/null
	done | awk -v now="$uptime" -v ticks="$(getconf CLK_TCK)" '
		{ cpu += ($12 + $13) / ticks }
		END { print now, cpu + 0 }'
}

# What has passed since $times: took and cpu.
end_interval() {
	read -r took cpu <<-END
		$(echo "$times $(times_now)" |
			awk '{ print $3 - $1, ($4 > $2 ? $4 - $2 : 0) }')
	END
}

# cpu_of_calls N: CPU time in ns of dd(1) and its recorder, for N calls of read(),
# which stands for a call, and N of write(), which stands for its return.
cpu_of_calls() {
	stackrecord --stat -q -e task-clock -- \
		stackrecord -q -e "uprobe/stack=4096/:$libc:read" \
		-e "uprobe/stack=0/:$libc:write" -o "$tmp/cost" \
		-- dd if=/dev/zero of=/dev/null bs=1 count="$1" \
		2>/dev/null </dev/null |
		awk -F '\t' '$2 == "task-clock" { print $1 }'
	rm -f "$tmp/cost"
}

# Set call_cost, the microseconds of a recorded call with its two probes.  A probe
# is one or two CPU exceptions, which virtual machines slow down by various factors.
measure_call() {
	libc=$(sed -n 's|^[^ ]* ..x[^/]* \(/.*/\(libc[.-]\|ld-musl\).*\)|\1|p' \
		/proc/self/maps | head -n 1)
	# Two exceptions cannot cost less than 1 us: dd does not use that libc.
	call_cost=$(echo "$(cpu_of_calls 1) $(cpu_of_calls 2000)" | awk '
		{ us = ($2 - $1) / 2000 / 1000 }
		END { print (us > 1 ? us : 25) }')
}

# A process that has ended cannot be recorded.
expect_process() {
	! is_there || return 0
	[ -z "$command" ] ||
		die "the command ended before the recording began:" \
			"it must run for 3 seconds at least"
	die "the process ended before the recording began"
}

# count SECONDS: more of calls, ends and switches, and of CPU time in seconds.
# shellcheck disable=SC2016 # the name of a folder is quoted by us
count() {
	begun=yes
	with_probes --stat -q -e context-switches -e task-clock -p "$(family)" -- sh -c \
		"${gate:+echo >'$tmp/gate';} exec sleep $1" \
		>"$tmp/stat" 2>"$tmp/log" || {
		expect_process
		why=$(reason)
		die "${why#stackrecord: }"
	}
	cat "$tmp/stat" >>"$tmp/counted"
	awk -F '\t' '
	$2 == leave { ends += $1 }
	$2 == enter { calls += $1 }
	$2 == "context-switches" { switches += $1 }
	$2 == "task-clock" { ns += $1 }
	END { print calls + 0, ends + 0, switches + 0, ns / 1e9 }' enter="$enter" \
		leave="$leave" "$tmp/counted" >"$tmp/counts"
	read -r calls ends switches counted_cpu <"$tmp/counts"
}

# What recording would take of the CPU, in per cent of what the process takes,
# but at least of one: microseconds for a wait with its stack, and a sample, are
# those that slowflame(1) has.
estimate() {
	awk -v calls="$calls" -v switches="${waits:+$switches}" -v cpu="$1" \
		-v hz="$hz" -v us="$call_cost" '
	BEGIN {
		n = cpu > 1 ? cpu : 1
		c = us * calls / 1e4 / n
		w = 6 * switches / 1e4 / n
		s = 8 * hz * cpu / 1e4 / n
		printf "%.2f %.2f %.2f %.2f\n", c + w + s, c, w, s
	}'
}

refuse_rate() {
	die "$function is called $1 times a second, more than" \
		"--max-rate $max_rate"
}

# Count for a second, and refuse what would hurt.
check_rate() {
	: >"$tmp/counted"
	measure_call
	count 0.1
	expect_process
	[ "$calls" -le $((max_rate / 5)) ] || refuse_rate "about ${calls}0"
	count 0.9
	expect_process
	[ "$calls" -le "$max_rate" ] || refuse_rate "$calls"
	[ "$calls" -gt 0 ] || say "no call of $function in a second"
	read -r all for_calls for_waits for_samples <<-END
		$(estimate "$counted_cpu")
	END
	awk "BEGIN { exit !($all <= $max_cpu) }" ||
		die "recording would take about $all % of the CPU, more than" \
			"--max-cpu $max_cpu: $for_calls for $calls calls a" \
			"second, $for_waits for $switches waits${waits:+, which \
--on-cpu leaves out}, $for_samples for samples"
}

# How often it was called, and what CPU time a call took, while it was only
# counted and while it was recorded.
compare_rates() {
	[ "$calls" -gt 0 ] || return 0
	awk -v calls="$calls" -v time=1 -v cpu="$counted_cpu" \
		-v calls2="$1" -v time2="$recorded_time" \
		-v cpu2="$recorded_cpu" '
	function rate(calls, time, cpu) {
		return sprintf("%.0f calls a second, %.3g ms of CPU time each",
		    calls / time, 1000 * cpu / calls)
	}
	# A process that has ended does not tell its CPU time.
	BEGIN {
		if (cpu2 > 0)
			printf "%s; while only counted, %s\n",
			    rate(calls2, time2, cpu2), rate(calls, time, cpu)
	}'
}
