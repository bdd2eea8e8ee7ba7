# hotspot_grammar.awk - counts the stacks of Grammar.java: all, those that the
# program cannot have, those without a root, and those whose leaf is a method.

BEGIN {
	split("recursion chain mega lambdas exceptions loop counted " \
	      "reflection stubs natives memory monitors unloaded", roots)
	for (i in roots)
		is_root[roots[i]] = 1
	n = split("c1:chain c2:c1 c3:c2 c4:c3 c5:c4 c6:c5 c7:c6 " \
		  "recLeaf:rec e1:exceptions e2:e1 e3:e2 looped:loop " \
		  "unpolled:counted " \
		  "reflected:reflection allocated:memory entered:monitors " \
		  "called:unloaded S0.area:mega S1.area:mega S2.area:mega " \
		  "S3.area:mega S0.side0:S0.area S1.side1:S1.area " \
		  "S2.side2:S2.area S3.side3:S3.area Victim.area:called " \
		  "Victim.victimSide:Victim.area lambda:lambdas mapped:lambda " \
		  "Loader.define:unloaded", pairs)
	for (i = 1; i <= n; i++) {
		split(pairs[i], pair, ":")
		caller[pair[1]] = pair[2]
	}
	caller["lambda$lambdas$0"] = caller["lambda$lambdas$1"] = "lambdas"
}

/^#/ || /^$/ { next }

function wrong(why) {
	bad += count
	if (VERBOSE)
		print why ": " $0 >"/dev/stderr"
}

# Whether a method may be called by another one.
function may(method, by) {
	if (method == "rec")
		return by == "rec" || by == "recursion"
	if (method == "work")
		return by == "entered" || by == "Victim.victimSide"
	if (method == "mapped")
		return by ~ /^lambda\$lambdas\$/
	if (method ~ /^(Victim|Loader)\.<init>$/)
		return by == "unloaded"
	if (method == "Loader.<clinit>")
		return 1
	return caller[method] == by
}

{
	count = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	first = by = ""
	rec = leaf = java = rooted = 0
	for (i = 2; i <= n; i++) {
		f = frame[i]
		leaf = sub(/_\[[ij01]\]$/, "", f)
		java += leaf
		sub(/:[0-9]+$/, "", f)
		# Below it is what starts threads in C++.
		if (leaf && java == 1)
			rooted = f == "java/lang/Thread.run"
		if (f !~ /^Grammar[.$]/ || f ~ /^Grammar\$\$Lambda/)
			continue
		sub(/^Grammar[.$]/, "", f)
		if (f ~ /^lambda\$start/)
			continue
		if (first == "") {
			first = f
			if (!(f in is_root)) {
				if (frame[2] == "[truncated]") {
					all += count
					cut += count
				} else if (f != "main") {
					wrong("begins with " f)
				}
				next
			}
		} else if (!may(f, by)) {
			wrong(f " in " by)
			break
		}
		rec += f == "rec"
		if (f == "recLeaf" && rec != 51)
			wrong("recLeaf after " rec)
		if (rec > 51)
			wrong("too deep")
		by = f
	}
	if (frame[2] == "[truncated]" && !java && frame[1] ~ /^(recursion|chain|mega|lambdas|exceptions|loop|counted|reflection|stubs|natives|memory|monitors.|unloaded)$/)
		java = 1
	if (!java)
		next
	all += count
	if (frame[2] == "[truncated]")
		cut += count
	else if (!rooted && first != "")
		wrong("no root")
}

END { print all + 0, bad + 0, cut + 0 }
