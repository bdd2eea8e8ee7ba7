# goroutines.awk - the stacks that Go's runtime prints of itself with
# GOTRACEBACK=system, as folded text with lines, of goroutines that wait.
function end() {
	if (state != "" && stack ~ /;main\./)
		print "goroutine" stack ";state:" state
	state = stack = ""
}

/^goroutine [0-9]+ .*\[/ {
	end()
	state = $0
	sub(/^[^[]*\[/, "", state)
	sub(/(, [0-9]+ minutes)?(, locked to thread)?\].*/, "", state)
	if (state ~ /^(running|runnable|syscall|idle)$/)
		state = ""
	next
}

/^$/ { end() }
/^created by / { state_of_creator = 1; next }

/^\t/ {
	place = $1
	sub(/.*\//, "", place)
	if (!state_of_creator)
		stack = ";" name ":" place stack
	state_of_creator = 0
	next
}

{
	name = $0
	sub(/\([^()]*\)$/, "", name)
}

END { end() }
