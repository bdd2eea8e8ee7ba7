# busy_tasks.awk - count tasks of busy_tasks.py, and those among them with a
# stack that they cannot have; input is folded text with states.
/^asyncio-task;/ {
	count = $NF
	sub(/ [0-9]+$/, "")
	gsub(/ \([^()]*\)/, "")
	n = split($0, frame, ";")
	if (frame[2] == "main")
		next
	# So many names take more reads than one round has.
	if (/\[unknown\]/)
		next
	task = frame[2]
	sub(/^work/, "", task)
	want = "asyncio-task;work" task
	for (i = 0; i < n - 4; i++)
		want = want ";w" i task
	# One that has not begun has no callees.
	if (n > 3)
		want = want ";pause"
	all += count
	if (index($0, want ";state:") != 1) {
		bad += count
		print "wrong: " $0 >"/dev/stderr"
	}
}
END {
	print all + 0, bad + 0
}
