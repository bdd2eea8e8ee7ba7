# grammar_lua.awk - count stacks of grammar.lua or resumed.lua, those that it
# cannot have, and those that are not merged.  Input is the program, for the lines of functions,
# and what stacksample --no-native --folded prints.
BEGIN {
	n = split("main>w0 w0>w1 w1>w2 w2>less less>w3 w3>w4 w4>w5 w5>w6 " \
		"w6>w7 w7>w8 w8>rec w8>w9 rec>rec rec>leaf main>main", pair, " ")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
	legal["main"] = 1
	of[0] = "main"
}
FNR == NR {
	if (/^function /)
		of[FNR] = substr($2, 1, index($2, "(") - 1)
	if (/-- w6$/)
		of[FNR] = "w6"
	next
}
!/^#/ && NF > 0 {
	count = $NF
	sub(/ [0-9]+$/, "")
	unmerged = /;\[unmerged\]/
	gsub(/;\[(moving|truncated)\]/, "")
	gsub(/ \([^()]*\)/, "")
	gsub(/;\[trace [0-9]+\]/, "")
	n = split($0, frame, ";")
	wrong = recs = 0
	for (i = 2; i <= n; i++) {
		name = frame[i]
		sub(/^[a-z]+.lua:/, "", name)
		name = of[name]
		recs += name == "rec"
		if (!((i == 2 ? name : last ">" name) in legal))
			wrong = 1
		last = name
	}
	if (recs > 51 || (last == "leaf" && recs != 51))
		wrong = 1
	all += count
	if (unmerged)
		other += count
	if (wrong && !unmerged) {
		bad += count
		print "wrong: " $0 >"/dev/stderr"
	}
}
END {
	print all + 0, bad + 0, other + 0
}
