# waits.awk - what threads wait for in folded stacks with states and blockers, a
# line for each thread whose name begins with "w-": name, kind, class, owner.

/^w-/ {
	n = split($0, frame, ";")
	sub(/ [0-9]*$/, "", frame[n])
	kind = class = owner = "-"
	for (i = 2; i <= n; i++) {
		if (frame[i] ~ /^state:/)
			kind = substr(frame[i], 7)
		else if (frame[i] ~ /^\[on /)
			class = substr(frame[i], 5, length(frame[i]) - 5)
		else if (frame[i] ~ /^\[held by /) {
			split(frame[i], word, " ")
			owner = word[3]
		}
	}
	print frame[1], kind, class, owner
}
