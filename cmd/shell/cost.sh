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

# count SECONDS: more of calls, ends and switches.
count() {
	begun=yes
	# shellcheck disable=SC2016 # the name of a folder is quoted by us
	run perf stat -x, -o "$tmp/stat" -e "$group:$enter" \
		-e "$group:$leave" -e context-switches \
		-p "$(family)" -- sh -c \
		"${gate:+echo >'$tmp/gate';} exec sleep $1" \
		>"$tmp/log" 2>&1 || die "perf cannot count: $(reason)"
	cat "$tmp/stat" >>"$tmp/counted"
	awk -F, '
	$3 ~ /__return$/ { ends += $1; next }
	$3 ~ /^slowflame_/ { calls += $1; next }
	$3 ~ /^context-switches/ { switches += $1 }
	END { print calls + 0, ends + 0, switches + 0 }' "$tmp/counted" \
		>"$tmp/counts"
	read -r calls ends switches <"$tmp/counts"
}

# What recording would take of the CPU, in per cent of what the process takes,
# but at least of one: microseconds for a call with its two probes, a wait with
# its stack, and a sample; slowflame(1) says where they come from.
estimate() {
	awk -v calls="$calls" -v switches="${waits:+$switches}" -v cpu="$1" \
		-v hz="$hz" '
	BEGIN {
		n = cpu > 1 ? cpu : 1
		c = 3 * calls / 1e4 / n
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
	times=$(times_now)
	count 0.1
	[ "$calls" -le $((max_rate / 5)) ] || refuse_rate "about ${calls}0"
	count 0.9
	is_there || die "the process ended while its calls were counted"
	end_interval
	counted_time=$took counted_cpu=$cpu
	[ "$calls" -le "$max_rate" ] || refuse_rate "$calls"
	[ "$calls" -gt 0 ] || say "no call of $function in a second"
	read -r all for_calls for_waits for_samples <<-END
		$(estimate "$cpu")
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
	awk -v calls="$calls" -v time="$counted_time" -v cpu="$counted_cpu" \
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
