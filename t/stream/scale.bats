#!/usr/bin/env bats
# scale.bats - the recipes of foldstack-scale(7), as they stand there.

load ../helper

# Six hosts with a profile each in profiles/, and the merge of all in merged.
setup_file() {
	local i

	mkdir "$BATS_FILE_TMPDIR/hosts" && cd "$BATS_FILE_TMPDIR/hosts" || return
	mkdir profiles
	for i in 1 2 3 4 5 6; do
		profile $i >profiles/web$i.folded
	done
	foldmerge --meta profiles/* >merged
	foldmerge --tsv profiles/* >merged.tsv
	mkdir "$BATS_FILE_TMPDIR/bin"
	for i in duckdb clickhouse-local clickhouse-client; do
		printf '#!/bin/sh\nexec node "%s/t/scale/client.js" %s "$@"\n' \
			"$top_srcdir" $i >"$BATS_FILE_TMPDIR/bin/$i"
	done
	chmod +x "$BATS_FILE_TMPDIR"/bin/*
	export PATH=$BATS_FILE_TMPDIR/bin:$PATH
	export SQL=$top_srcdir/share/sql
}

setup() {
	cp -r "$BATS_FILE_TMPDIR/hosts/." "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
}

teardown_file() {
	cat "$BATS_FILE_TMPDIR"/*/pid 2>/dev/null | xargs -r kill
}

# profile HOST: sorted, with names that are quoted and escaped elsewhere.
profile() {
	echo "#fold=1;unit=ns;host=web$1;time=179560000$1.000000000;dur=9.000000000"
	awk -v host="$1" 'BEGIN {
		split("parse|\"quoted\"|it'\''s|\\N|a\\tb|\303\244|x, y|read_[k]|#9|f 7",
		      name, "|")
		for (i = 0; i < 200; i++) {
			n = (i * 7919 + host * 104729) % 1000
			print "main;" name[1 + n % 10] ";g" n ";" name[1 + n % 8], n + 1
		}
	}' | foldmerge --counts 1
}

# recipe SECTION [N]: the first, or Nth, of a section of the manual.
recipe() {
	awk -v section=".Sh $1" -v n="${2-1}" '
	/^\.Sh/ { here = $0 == section }
	!here { next }
	/^\.Ed/ { inside = 0 }
	inside && seen == n
	/^\.Bd/ { inside = 1; seen++ }
	' "$top_srcdir/man/foldstack-scale.7" | sed 's/\\e/\\/g'
}

# follow SECTION [N]: run it, as its reader does who was told of pipefail.
follow() {
	recipe "$@" >steps
	[ -s steps ]
	bash -o pipefail -e -u steps
}

need() {
	local command

	for command; do
		command -v "$command" >/dev/null || skip "no $command"
	done
}

need_parallel() {
	need parallel
	parallel --version 2>/dev/null | grep -q '^GNU parallel' ||
		skip "parallel is not GNU parallel"
	export PARALLEL_HOME=$BATS_FILE_TMPDIR/parallel
	mkdir -p "$PARALLEL_HOME"
	touch "$PARALLEL_HOME/will-cite"
}

@test "GNU parallel over files" {
	need_parallel
	follow 'MANY FILES'
	cmp merged all.folded
	mkdir profiles/web7.folded
	run -2 follow 'MANY FILES'
}

@test "GNU parallel over the parts of a file" {
	need_parallel
	foldmerge profiles/* | tee plain | shuf --random-source=plain >big.folded
	follow 'MANY FILES' 2
	cmp plain all.folded
}

@test "sorted files, line by line" {
	follow 'MANY FILES' 3
	cmp merged all.folded
}

# Hosts one and two, each with half of the profiles, and lists of them.
need_hosts() {
	local dir=$BATS_FILE_TMPDIR/ssh

	need_parallel
	need ssh ssh-keygen
	PATH=$PATH:/usr/sbin:/sbin need sshd
	if [ ! -e "$dir" ]; then
		mkdir -p "$dir"/{one,two}/profiles
		cp profiles/web[1-3].folded "$dir/one/profiles"
		cp profiles/web[4-6].folded "$dir/two/profiles"
		"$top_srcdir/t/scale/hosts" "$dir" one two 2>"$dir/log" 3>&- ||
			tail -n 1 "$dir/log" >"$dir/why"
	fi
	[ ! -e "$dir/why" ] || skip "sshd lets nobody in: $(cat "$dir/why")"
	printf "ssh -F $dir/config %s\n" one two >hosts
}

@test "GNU parallel over ssh" {
	need_hosts
	follow 'MANY MACHINES'
	cmp merged all.folded
	echo "ssh -F $BATS_FILE_TMPDIR/ssh/config -p 1 one" >>hosts
	run ! follow 'MANY MACHINES'
}

@test "a tree of merges over ssh" {
	local name dir=$BATS_FILE_TMPDIR/ssh

	need_hosts
	cp hosts racks
	for name in one two; do
		grep " $name\$" hosts >"$dir/$name/hosts"
		{
			echo '#!/usr/bin/env bash'
			echo 'set -o pipefail'
			recipe 'MANY MACHINES' | sed 's/ > all.folded$//'
		} >"$dir/$name/merge-hosts"
		chmod +x "$dir/$name/merge-hosts"
	done
	follow 'A TREE OF MERGES'
	cmp merged all.folded
	rm all.folded
	printf '%s\n' one two >racks
	printf '#!/bin/sh\nexec %s -F %s/config "$@"\n' "$(command -v ssh)" \
		"$dir" >ssh
	chmod +x ssh
	PATH=$PWD:$PATH follow 'A TREE OF MERGES' 2
	cmp merged all.folded
}

# streaming OPTION: the command that the recipe gives Hadoop for it.
streaming() {
	recipe 'HADOOP STREAMING' | sed -n "s/^ *-$1 '\(.*\)'.*/\1/p"
}

# Lines of a mapper go to a reducer by their key, sorted; a combiner may see
# some of them, sorted, before.
@test "Hadoop Streaming's contract: mappers, combiners and reducers" {
	local map combine reduce split part

	map=$(streaming mapper) combine=$(streaming combiner)
	reduce=$(streaming reducer)
	grep -hv '^#' profiles/* >lines
	split -n l/4 lines split.
	for split in split.*; do
		bash -c "$map" <"$split" >mapped
		for part in 0 1 2; do
			awk -F '\t' -v part=$part 'length($1) % 3 == part' mapped |
				sort -t $'\t' -k 1,1 >"$split.$part"
			[ -s "$split.$part" ]
		done
	done
	for part in 0 1 2; do
		bash -c "$combine" <"split.aa.$part" >combined
		mv combined "split.aa.$part"
		sort -m -t $'\t' -k 1,1 split.*.$part | bash -c "$reduce" >part-$part
	done
	cat part-* | foldmerge --counts 1 --tsv | cmp merged.tsv -
}

@test "a reducer or a mapper that fails says so by its status" {
	run -2 bash -c "$(streaming reducer)" <<<$'b\t1\na\t1'
	run -2 bash -c "$(streaming mapper)" <<<'no count'
	run -2 bash -c "$(streaming mapper) >/dev/full" <<<'a 1'
}

# need_module NAME: node finds it, in NODE_PATH for one.
need_module() {
	need node
	node -e "require.resolve('$1')" 2>/dev/null || skip "no $1 for node"
}

# Tables of all hosts, as the engines read them.
tables() {
	local file

	mkdir tables
	for file in profiles/*; do
		foldmerge --tsv "$file" >"tables/$(basename "$file" .folded).tsv"
	done
}

# take_in SECTION N: all profiles, odd ones of version 1.0, even ones of 1.1;
# and again a day and a host that nobody asks for.
take_in() {
	local i

	for i in 1 2 3 4 5 6; do
		profile=profiles/web$i.folded host=web$i version=1.$((1 - i % 2)) \
			time="2026-11-2$i 12:00:00" follow "$@"
	done
	profile=profiles/web1.folded host=web1 version=1.0 \
		time='2026-11-19 23:59:59' follow "$@"
	profile=profiles/web1.folded host=db1 version=0.9 \
		time='2026-11-20 12:00:00' follow "$@"
}

# The functions of folded text, by the time in themselves and below.
functions() {
	awk -F '\t' '{
		depth = split($1, frame, ";")
		delete seen
		for (i = 1; i <= depth; i++) {
			sub(/_\[[kjiw01]\]$/, "", frame[i])
			if (!seen[frame[i]]++)
				total[frame[i]] += $2
		}
		self[frame[depth]] += $2
	}
	END {
		for (name in total)
			print name "\t" self[name] + 0 "\t" total[name]
	}' | sort -t $'\t' -k 2,2nr -k 3,3nr -k 1,1 | head -n 20
}

# What the queries of both engines have written.
queried() {
	flamegraph merged.web >expected.svg
	cmp expected.svg web.svg
	folddiff --no-test odd even >expected.diff
	folddiff --no-test versions.folded | cmp expected.diff -
	foldmerge --tsv profiles/* profiles/web1.folded | functions >expected.top
	cmp expected.top top.tsv
	[ "$(wc -l <top.tsv)" -eq 20 ]
}

expect() {
	foldmerge profiles/* >merged.web
	foldmerge profiles/web[135].folded >odd
	foldmerge profiles/web[246].folded >even
}

@test "DuckDB groups tables to the bytes of foldmerge" {
	need_module @duckdb/node-api
	tables
	follow DUCKDB
	cmp merged.tsv all.tsv
}

@test "DuckDB keeps profiles, merges, compares and ranks them" {
	need_module @duckdb/node-api
	expect
	follow DUCKDB 2
	take_in DUCKDB 3
	follow DUCKDB 4
	queried
}

@test "ClickHouse groups tables to the bytes of foldmerge" {
	need_module chdb
	tables
	follow CLICKHOUSE
	cmp merged.tsv all.tsv
}

@test "ClickHouse keeps profiles, merges, compares and ranks them" {
	need_module chdb
	export CLICKHOUSE=$PWD/database
	expect
	follow CLICKHOUSE 2
	take_in CLICKHOUSE 3
	follow CLICKHOUSE 4
	queried
	run ! clickhouse-client --query 'INSERT INTO incoming
		(hash, stack, n) VALUES (1, '\''main'\'', 1)'
	[[ $output == *hash_is_that_of_stack* ]]
}

# A server on the loopback that writes what it takes of a profile.
need_ingest() {
	local dir=$BATS_FILE_TMPDIR/ingest

	need curl python3
	if [ ! -e "$dir" ]; then
		mkdir "$dir"
		python3 "$top_srcdir/t/scale/ingest.py" "$dir" \
			>"$dir/log" 2>&1 3>&- &
		echo $! >"$dir/pid"
	fi
	within_minutes [ -e "$dir/port" ]
	taken=$dir/app
	server=http://127.0.0.1:$(cat "$dir/port")
	from=1795600000 until=1795600060
	export server from until
}

# ingest FILE: give it to the server as it is.
ingest() {
	curl --fail --silent --data-binary @"$1" \
		"$server/ingest?name=app&from=$from&until=$until"
}

@test "Pyroscope's /ingest takes all of a profile" {
	need_ingest
	{
		echo 'main;a 1'
		printf 'main;%070000d;leaf 2\n' 1
		echo 'zlast 18'
	} >profile.folded
	ingest profile.folded
	run -0 cat "$taken"
	[ "$output" = 'main;a 1' ]
	follow PYROSCOPE
	foldmerge -q --max-line 64K profile.folded | cmp - "$taken"
	[ "$(awk '{ sum += $NF } END { print sum }' "$taken")" -eq 21 ]
	foldmerge --counts 1 profiles/* >profile.folded
	follow PYROSCOPE
	cmp profile.folded "$taken"
}

@test "Pyroscope's /ingest takes whole counts, of 63 bits" {
	need_ingest
	printf 'a 1.75\nb 2\n' >profile.folded
	run ! ingest profile.folded
	follow PYROSCOPE
	run -0 cat "$taken"
	[ "$output" = $'a 1\nb 2' ]
	echo 'a 9223372036854775808' >profile.folded
	run ! follow PYROSCOPE
}

# is_about EXPECTED NUMBER: which has three digits and perhaps a letter.
is_about() {
	awk -v expected="$1" -v number="$2" 'BEGIN {
		letter = substr(number, length(number))
		number *= letter == "k" ? 1000 : letter == "M" ? 1000000 : 1
		exit !(number > 0.99 * expected && number < 1.01 * expected)
	}'
}

# size FILE...: on average.
size() {
	cat "$@" | wc -c | awk -v n=$# '{ print $1 / n }'
}

# level N: the tree's line, as "level nodes hosts in out".
level() {
	awk -v n="$1" '$1 == n { print $1, $2, $3, $4, $5; exit }' tables
}

@test "the simulated tree of merges is the real one, as far as that goes" {
	local i in out

	need python3 zstd
	mkdir hosts.d
	for ((i = 10; i < 26; i++)); do
		profile $i >"hosts.d/$i"
	done
	foldmerge hosts.d/1[0-3] >level1.1
	foldmerge hosts.d/1[4-7] >level1.2
	foldmerge hosts.d/1[89] hosts.d/2[01] >level1.3
	foldmerge hosts.d/2[2-5] >level1.4
	foldmerge level1.* >level2
	"$top_srcdir/doc/scale/measure" hosts.d >rates
	"$top_srcdir/doc/scale/simulate" --hosts 16 --fan-in 4 rates >tables
	[[ $(level 1) == '1 4 4 '* ]]
	read -r _ _ _ _ out <<<"$(level 1)"
	is_about "$(size level1.*)" "$out"
	[[ $(level 2) == '2 1 16 '* ]]
	read -r _ _ _ in out <<<"$(level 2)"
	is_about "$(cat level1.* | wc -c)" "$in"
	is_about "$(size level2)" "$out"
}

@test "the rates that were measured simulate a million hosts" {
	need python3
	cd "$top_srcdir/doc/scale"
	run -0 ./simulate rates/zipf
	[[ ${output,,} == *' 1000000 '*'at most'*'rows a day'* ]]
	run -0 ./simulate --hosts 1 rates/zipf rates/clang
	run -0 ./simulate --fan-in 1000 rates/clang
}
