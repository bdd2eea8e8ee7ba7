#!/usr/bin/env bats
# probes.bats - probes of programs, as events of stackrecord.

load ../helper
load recording

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR" || return
	cat >calls.c <<-'END'
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>

		__attribute__((noinline)) void
		visit(int id)
		{
			__asm__ volatile("" : : "r"(id) : "memory");
		}
		__attribute__((noinline)) void
		many(int n)
		{
			while (n-- > 0)
				visit(n);
			__asm__ volatile("");
		}
		int
		main(int argc, char *argv[])
		{
			many(100);
			if (argc > 1 && fork() == 0) {
				many(20);
				_exit(0);
			}
			wait(NULL);
			printf("%s\n", argv[0]);
			return 0;
		}
	END
}

need_probes() {
	[ -w /sys/kernel/tracing/uprobe_events ] ||
		skip "no right to make probes"
	mkdir -p 'b lank,#:x'
	program='b lank,#:x/calls'
	build -O1 -g -o "$program" calls.c
}

build() {
	"${CC:-cc}" "$@" || skip "no C compiler"
}

# placed PID: whether probes of this process are left.
placed() {
	grep -q ":stackrecord_$1/" /sys/kernel/tracing/uprobe_events
}

# await COMMAND...: until it succeeds, for 20 seconds at most.
await() {
	local end=$((SECONDS + 20))

	until "$@"; do
		[ $SECONDS -lt $end ] || return
		sleep 0.01
	done
}

# probing PID: whether this process records with its probes.
probing() {
	placed "$1" && [ -s data ]
}

removed() {
	! placed "$1"
}

@test "calls and returns are counted exactly, those of children, too" {
	need_probes
	run -0 --separate-stderr stackrecord --stat -e "uprobe:$program:visit" \
		-e "uretprobe/name=left/:$program:visit" -e context-switches \
		-- "./$program" fork
	[ "${lines[0]}" = "./$program" ]
	[ "${lines[1]}" = "120	uprobe:$program:visit" ]
	[ "${lines[2]}" = "120	left" ]
	[[ ${lines[3]} == *"	context-switches" ]]
}

@test "samples of probes have their callers, names, times and arguments" {
	need_probes
	[ "$(uname -m)" = x86_64 ] || skip "arguments are of x86-64"
	stackrecord -q -e cpu-clock -e "uprobe/name=in,args=id=%di:s32/:$program:visit" \
		-e "uretprobe/name=out,stack=0/:$program:visit" -o data \
		-- "./$program" >/dev/null
	stackcollapse-perf -q --samples --event-filter in data >entries
	[ "$(grep -c '^#time=.*;args=id%3D' entries)" -eq 100 ]
	grep -q ';args=id%3D57$' entries
	[ "$(grep -c ';main;many;visit 1$' entries)" -eq 100 ]
	stackcollapse-perf -q --samples --event-filter out data >exits
	[ "$(grep -c '^#time=' exits)" -eq 100 ]
	run ! grep many exits
}

# after FILE LATER: whether the times of the samples of the second are later.
after() {
	awk -F '[=;]' '
	!/^#time=/ { next }
	FNR == NR { last = $2 > last ? $2 : last; next }
	$2 <= last || !last { bad = 1 }
	END { exit bad }' "$1" "$2"
}

@test "the return of a function comes after those of what it calls" {
	need_probes
	stackrecord -q -e "uprobe/name=in,stack=0/:$program:visit" \
		-e "uretprobe/name=out,stack=0/:$program:visit" \
		-e "uretprobe/name=end,stack=0/:$program:many" -o data \
		-- "./$program" >/dev/null
	for event in in out end; do
		stackcollapse-perf -q --samples --event-filter $event data >"$event.samples"
	done
	[ "$(grep -c '^#time=' end.samples)" -eq 1 ]
	after in.samples end.samples
	after out.samples end.samples
}

@test "probes are removed, also if stackrecord is killed" {
	local recorder

	need_probes
	stackrecord -q -e "uprobe:$program:visit" -e "uretprobe:$program:many" \
		-o data -- sleep 60 3>&- &
	recorder=$!
	await probing $recorder
	child=$(pgrep -P $recorder -x sleep)
	kill -KILL $recorder
	kill "$child"
	await removed $recorder
}

@test "variables are fetched by their names, where the compiler has them" {
	need_probes
	[ "$(uname -m)" = x86_64 ] || skip "values are compared with those of x86-64"
	cat >vars.c <<-'END'
		struct inner {
			long big;
			char text[8];
		};
		struct request {
			int id;
			struct inner in;
			struct request *next;
			unsigned short port;
			unsigned bit : 3;
			union {
				int number;
			};
		};
		static unsigned total = 77;

		__attribute__((noinline)) void
		handle(int id, const char *path, struct request *req, double d,
		       long a, long b, long c, int seventh)
		{
			int twice = id * 2;

			total++;
			__asm__ volatile("" : : "r"(path), "r"(req), "r"(seventh) : "memory");
			__asm__ volatile("nop" : : "r"(twice), "r"(a + b + c), "x"(d));
		}
		int
		main(void)
		{
			struct request second = { .in = { -5, "two" }, .port = 8080 };
			struct request first = { .id = 11, .next = &second, .number = 5 };
			int i;

			for (i = 0; i < 3; i++)
				handle(i - 1, i & 1 ? "/an odd" : "/even", &first, 1.5, 1,
				       2, 3, 1000 + i);
		}
	END
	names='id path:string req->id req->next->in.big req->next->in.text'
	names+=' req->next->port req->number req->next[0].port:x16 seventh total'
	for level in 0 2; do
		build -O$level -g -o vars vars.c
		stackrecord -q -e "uprobe/name=in,vars=$names/:vars:handle" \
			-o data -- ./vars
		stackcollapse-perf -q --samples --event-filter in data |
			sed -n 's/^#time=.*;args=//p' | sed 's/%3D/=/g; s/%20/ /g; s/%22/"/g' >got
		printf '%s req_id=11 req_next_in_big=-5 req_next_in_text="two" req_next_port=8080 req_number=5 req_next_0_port=8080 %s\n' \
			'id=-1 path="/even"' 'seventh=1000 total=77' \
			'id=0 path="/an odd"' 'seventh=1001 total=78' \
			'id=1 path="/even"' 'seventh=1002 total=79' | diff - got
	done
	line=$(grep -n 'total++' vars.c)
	run -0 stackrecord --stat -e "uprobe/vars=id/:vars:vars.c:${line%%:*}" -- ./vars
	[[ ${lines[0]} == 3$'\t'* ]]
	while IFS='|' read -r name why; do
		run -2 stackrecord --list-probes -e "uprobe/vars=$name/:vars:handle"
		[[ ${lines[0]} == "stackrecord: -e: $why"* ]]
	done <<-'END'
		nope|no variable nope; it has id, path, req, d, a, b, c, seventh
		req->nope|no member nope in req->nope
		req->next->bit|req->next->bit is a bit field
		d|d is a floating-point number
		req->in|req->in is not a number: name one of its members
		id:string|id is not a string
		id:y7|id:y7: a variable must be like
		req[x]|req[x] has an index that is not a number
	END
	run -2 stackrecord --list-probes -e uprobe:vars:vars.c:1
	[[ ${lines[0]} == "stackrecord: -e: line 1 of vars.c has no code; line "* ]]
	run -2 stackrecord --list-probes -e uprobe:vars:none.c:1
	[[ ${lines[0]} == "stackrecord: -e: ./vars has no debug information for a file none.c"* ]]
}

@test "the newest samples are kept until a call takes long" {
	need_probes
	cat >ring.c <<-'END'
		#include <unistd.h>

		__attribute__((noinline)) void
		enter(void)
		{
			__asm__ volatile("" : : : "memory");
		}
		__attribute__((noinline)) void
		leave(void)
		{
			__asm__ volatile(" " : : : "memory");
		}
		static void
		call(unsigned us)
		{
			enter();
			if (us > 0)
				usleep(us);
			leave();
		}
		int
		main(void)
		{
			int i;

			for (;;) {
				/* More than are remembered never return. */
				for (i = 0; i < 1500; i++)
					enter();
				for (i = 0; i < 1500; i++)
					call(0);
				call(50000);
			}
		}
	END
	build -O1 -g -o ring ring.c
	./ring 3>&- &
	process=$!
	probes=(-e "uprobe/name=in/:ring:enter" -e "uprobe/name=out/:ring:leave")
	run -0 timeout 60 stackrecord -q --ring 100K -o data "${probes[@]}" \
		--until-call 'in,out>50ms' -p $process
	[[ $output == *"stackrecord: a call took "*" ms" ]]
	# A sample has 200 bytes at least: of 3000 calls, only the last are there.
	stackcollapse-perf -q --samples --event-filter all data >stream
	kept=$(grep -c '^#.*;event=' stream)
	[ "$kept" -gt 50 ] && [ "$kept" -lt 500 ]
	grep -q ';main;.*enter 1$' stream
	run -0 timeout 60 stackrecord -q -o data "${probes[@]}" \
		--until-between 'in,out>50ms' -p $process
	[[ $output == *"stackrecord: a call took "*" ms" ]]
	run -0 stackrecord -q --ring 100K -d 0.5 -o data "${probes[@]}" \
		--until-call 'in,out>1000s' -p $process
	kill $process
	[[ $output == *"stackrecord: no call took longer than the time of --until-call" ]]
	run -2 stackrecord -o data "${probes[@]}" --until-call 'in,oot>1s' -- true
	[ "$output" = "stackrecord: --until-call: no events in and oot in -e" ]
	for wrong in 'in>1s' 'in,out' 'in,out>0ms' 'in,in>1s'; do
		run -2 stackrecord -o data --until-between "$wrong" -- true
		[[ $output == "stackrecord: --until-between takes two names"* ]]
	done
}

@test "a place in the middle of an instruction is said to be one" {
	need_probes
	# 06 is no instruction of x86-64.
	cat >middle.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) void
		wrong(void)
		{
			__asm__ volatile("movabs $0x0606060606060606, %%rax"
				: : : "rax");
		}
		int
		main(void)
		{
			sleep(60);
			wrong();
		}
	END
	[ "$(uname -m)" = x86_64 ] || skip "the instruction is of x86-64"
	build -O1 -o middle middle.c
	offset=$(stackrecord --list-probes -e uprobe:middle:wrong | cut -f 1)
	./middle 3>&- &
	process=$!
	until [[ $(readlink "/proc/$process/exe") == */middle ]]; do
		sleep 0.01
	done
	place=uprobe:middle:+$(printf 0x%x $((offset + 3)))
	run -2 --separate-stderr stackrecord --stat -e "$place" -p $process \
		-- true
	kill $process
	[[ $stderr == "stackrecord: $place: the kernel cannot probe this place: no instruction begins there, "* ]]
}

@test "functions are found by names of people and of linkers, in all tables" {
	type -P "${CXX:-c++}" >/dev/null || skip "no C++"
	cat >names.cc <<-'END'
		namespace ns {
		struct Server {
			__attribute__((noinline)) void handle(int) { asm volatile(""); }
			__attribute__((noinline)) void handle(long) { asm volatile(""); }
		};
		}
		int main() { ns::Server s; s.handle(1); s.handle(1L); }
	END
	"${CXX:-c++}" -O1 -o names names.cc
	list() {
		stackrecord --list-probes -e "uprobe:names:$1"
	}
	for name in ns::Server::handle Server::handle handle 'ns::*e' 'Server::hand?e'; do
		[ "$(list "$name" | wc -l)" -eq 2 ]
	done
	[ "$(list _ZN2ns6Server6handleEi | cut -f 4)" = _ZN2ns6Server6handleEi ]
	run -2 --separate-stderr list and
	[[ $stderr == "stackrecord: -e: and is not a function of ./names"* ]]
	# What is listed is what nm has.
	nm names | awk '/handleEi/ { print $1 }' >truth
	[ "$((0x$(cat truth)))" -eq "$(($(list _ZN2ns6Server6handleEi | cut -f 2)))" ]
	# A stripped file has a debug file, found by its link.
	objcopy --only-keep-debug names names.debug
	strip --strip-all names
	run -2 list handle
	objcopy --add-gnu-debuglink=names.debug names
	[ "$(list handle | wc -l)" -eq 2 ]
}

@test "probes that cannot be are said" {
	local probe

	build -O1 -g -o calls calls.c
	for probe in uprobe: uprobe:calls uprobe:none:f uprobe:calls:+7 \
		uprobe/x=1/:calls:visit uprobe/stack=70000/:calls:visit \
		uprobe:calls.c:visit uprobe:calls:+0x1,x; do
		run -2 --separate-stderr stackrecord -q -e "$probe" -o data -- true
		[[ $stderr == "stackrecord: -e: "* ]]
	done
	run -2 --separate-stderr env TRACEFS="$PWD/none" stackrecord -q \
		-e uprobe:calls:visit -o data -- touch ran
	[[ $stderr == "stackrecord: no permission to create probes: $PWD/none/uprobe_events: "* ]]
	[ ! -e ran ]
}
