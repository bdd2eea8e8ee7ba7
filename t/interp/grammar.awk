# grammar.awk - count stacks of grammar.py that it cannot have; input is what
# stacksample --no-native --folded prints.
BEGIN {
	n = split("w0>w1 w1>w2 w2>w3 w3>w4 w4>w5 w5>w6 w6>w7 w7>w8 w8>w9 " \
		"w5>__init__ w8>rec rec>rec rec>leaf main>w0 run>main " \
		"<module>>main _bootstrap>_bootstrap_inner " \
		"_bootstrap_inner>run", pair, " ")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
	legal["<module>"] = legal["_bootstrap"] = 1
}
!/^#/ && NF > 0 {
	count = $NF
	sub(/ [0-9]+$/, "")
	gsub(/ \([^()]*\)/, "")
	sub(/;\[moving\]$/, "")
	n = split($0, frame, ";")
	wrong = recs = 0
	for (i = 2; i <= n; i++) {
		name = frame[i]
		sub(/.*\./, "", name)
		recs += name == "rec"
		if (!((i == 2 ? name : last ">" name) in legal))
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
