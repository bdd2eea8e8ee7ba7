# backtrace.awk - stacks of stacksample --no-native --srcline as Ruby's own
# backtraces: C functions have the file and line of their caller, or the file of
# what they call, and without -v classes=1 names have no class.
!/^#/ && NF > 0 {
	sub(/ [0-9]+$/, "")
	sub(/;\[unmerged\]/, "")
	n = split($0, frame, ";")
	file = ""
	for (i = n; i > 1; i--) {
		place = frame[i]
		sub(/.* \(/, "", place)
		sub(/(:[0-9]+)?\)$/, "", place)
		if (place != "<cfunc>")
			file = place
	}
	place = " (" file ")"
	stack = ""
	for (i = 2; i <= n; i++) {
		name = frame[i]
		sub(/ \([^()]*\)$/, "", name)
		if (frame[i] !~ / \(<cfunc>\)$/)
			place = substr(frame[i], length(name) + 1)
		kind = ""
		if (match(name, /^(block|rescue|ensure|block \([0-9]+ levels\)) in /)) {
			kind = substr(name, 1, RLENGTH)
			name = substr(name, RLENGTH + 1)
		}
		if (!classes)
			sub(/^[A-Z][A-Za-z:]*[.#]/, "", name)
		stack = stack ";" kind name place
	}
	print substr(stack, 2)
}
