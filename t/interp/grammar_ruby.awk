# grammar_ruby.awk - count stacks of grammar.rb that it cannot have; input is
# what stacksample --no-native --folded prints.  C functions that call no Ruby
# may be anywhere.
BEGIN {
	n = split("<main>;block in <main>|block in <main>;loop|" \
		"loop;block (2 levels) in <main>|" \
		"block (2 levels) in <main>;Walk#w0|Walk#w0;Walk#w1|" \
		"Walk#w1;each|each;block in Walk#w1|block in Walk#w1;Walk#w2|" \
		"Walk#w2;sort_by|sort_by;each|each;block in Walk#w2|" \
		"block in Walk#w2;Walk#w3|" \
		"block in Walk#w3;Walk#w4|Walk#w4;Walk#yield_twice|" \
		"Walk#yield_twice;block in Walk#w4|block in Walk#w4;Walk#w5|" \
		"Walk#w5;Thing#method_missing|" \
		"Thing#method_missing;rescue in Thing#method_missing|" \
		"rescue in Thing#method_missing;block in <class:Thing>|" \
		"block in <class:Thing>;Walk.w8|Walk.w8;Walk.rec|" \
		"Walk.rec;Walk.rec|Walk.rec;Walk.leaf|Walk.w8;Walk.w9|" \
		"Walk#w5;new|block (2 levels) in <main>;new|" \
		"new;Walk#initialize|new;Thing#initialize", pair, "|")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
	legal["<main>"] = legal["block in <main>"] = 1 # threads
	legal["block in Walk#w3"] = 1                  # the fiber
}
!/^#/ && NF > 0 {
	count = $NF
	sub(/ [0-9]+$/, "")
	sub(/;\[moving\]$/, "")
	n = split($0, frame, ";")
	wrong = recs = 0
	while (n > 1 && frame[n] ~ / \(<(cfunc|internal:[^>]*)>\)$/)
		n--
	root = 2 + (frame[2] == "[unmerged]")
	for (i = root; i <= n; i++) {
		name = frame[i]
		if (sub(/ \(<(cfunc|internal:[^>]*)>\)$/, "", name))
			sub(/.*[.#]/, "", name)
		sub(/ \([^()]*\)$/, "", name)
		recs += name == "Walk.rec"
		key = i == root ? name : last ";" name
		if (!(key in legal)) {
			wrong = 1
			print "wrong: " key " in " $0 >"/dev/stderr"
		}
		last = name
	}
	if (recs > 51 || (last == "Walk.leaf" && recs != 51))
		wrong = 1
	all += count
	bad += wrong ? count : 0
}
END {
	print all + 0, bad + 0
}
