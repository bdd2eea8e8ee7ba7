# node_grammar.awk - count stacks of node_grammar.js that it cannot have; input
# is what stacksample --no-native --folded prints.
BEGIN {
	n = split("main>w0 w0>w1 w1>w2 w2>w3 w3>w4 w4>w5 w5>Thing w5>w6 " \
		"w6>w7 w7>w8 w8>w9 w8>rec rec>rec rec>leaf", pair, " ")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
}
!/^#/ && /node_grammar.js/ {
	count = $NF
	sub(/ [0-9]+$/, "")
	sub(/;\[moving\]$/, "")
	n = split($0, frame, ";")
	last = ""
	wrong = recs = 0
	for (i = 2; i <= n; i++) {
		name = frame[i]
		if (name !~ /node_grammar.js/)
			continue
		sub(/ .*node_grammar.js.*/, "", name)
		sub(/^get$/, "w6", name)
		if (name == "(anonymous)" || name == "run")
			continue
		recs += name == "rec"
		if (last == "" ? name != "main" : !(last ">" name in legal))
			wrong = 1
		last = name
	}
	if (recs > 51 || (last == "leaf" && recs != 51))
		wrong = 1
	all += count
	if (wrong) {
		bad += count
		print "wrong: " $0 >"/dev/stderr"
	}
}
END {
	print all + 0, bad + 0
}
