#!/usr/bin/env bats
# jvm.bats - what a running JVM tells of its code: jvmmap(1), jitsym(1), flame(1).

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	process='' classes=''
}

teardown() {
	[ -z "$process" ] || kill -KILL "$process" 2>/dev/null
	wait 2>/dev/null || :
	remove_traces
	[ -z "$classes" ] || {
		[ ! -s "$classes/listener" ] ||
			kill "$(cat "$classes/listener")" 2>/dev/null || :
		rm -r "$classes"
	}
}

# What a JVM that is killed leaves, and another one of its number comes upon.
remove_traces() {
	rm -f "/tmp/.java_pid$process" "/tmp/.attach_pid$process" \
		"/tmp/perf-$process.map" 2>/dev/null || :
}

# begin_jvm COMMAND...: run java, with words before it, and wait until it has
# compiled the program; $process is its number.
begin_jvm() {
	local inner

	command -v javac >/dev/null || skip "no JDK"
	classes=$(mktemp -d /var/tmp/jvm.XXXXXX)
	javac -d "$classes" "$top_srcdir/t/jit/Spin.java"
	chmod -R a+rX "$classes"
	"$@" java -XX:+PreserveFramePointer -cp "$classes" Spin >started 2>&1 \
		3>&- &
	process=$!
	within_minutes grep -q warm started
	# It may be a child of what was run.
	inner=$(cat "/proc/$process/task/$process/children")
	process=${inner:-$process}
	process=${process% }
	remove_traces
}

# It has four seconds to begin and to compile.
asked_early() {
	remove_traces
	java -XX:+PreserveFramePointer -cp "$classes" Spin >started 2>&1 3>&- &
	process=$!
	run --separate-stderr stacksample -p "$process" -F 50 -d 4 --native
	kill -KILL "$process"
	wait "$process" || :
	[ "$status" -eq 0 ] && [[ $stderr != *"not permitted"* ]] &&
		grep -qE '^J [0-9]+ [0-9a-f]+ [0-9a-f]+ .*Spin\.main' <<<"$output"
}

@test "a JVM that has just begun is asked when it listens" {
	begin_jvm
	kill -KILL "$process"
	wait "$process" || :
	within_minutes asked_early
}

# A sampler gives up what rights of root this does not take.
sampler_asks() {
	stacksample -q -p "$process" -F 50 -d 1 --native >raw ||
		skip "no right to look at processes"
	grep -qE '^J [0-9]+ [0-9a-f]+ [0-9a-f]+ .*Spin\.' raw
}

@test "jvmmap writes where the compiled code is, and leaves nothing" {
	begin_jvm
	jvmmap "$process" >map
	grep -E -q '^(0x)?[0-9a-f]+ (0x)?[0-9a-f]+ Spin\.spin\(int\)$' map
	[ ! -e "/tmp/perf-$process.map" ]
	# What was there before stays.
	echo here >"/tmp/perf-$process.map"
	jvmmap "$process" >map
	grep -q Spin.spin "/tmp/perf-$process.map"
	rm "/tmp/perf-$process.map"
}

@test "a link or another user's file in place of the map is not believed" {
	begin_jvm
	echo mine >target
	ln -s "$PWD/target" "/tmp/perf-$process.map"
	run -2 --separate-stderr jvmmap "$process"
	rm "/tmp/perf-$process.map"
	[ -z "$output" ]
	[[ $stderr == *"process $process: it is a symbolic link"* ]]
}

@test "root asks with the rights of the JVM's user" {
	[ "$(id -u)" -eq 0 ] || skip "only root can be another user"
	begin_jvm setpriv --reuid 12345 --regid 12345 --clear-groups
	jvmmap "$process" | grep -q Spin.spin
	run -2 --separate-stderr setpriv --reuid 12346 --clear-groups \
		"$(command -v jvmmap)" "$process"
	[ -z "$output" ]
	kill -0 "$process"
	sampler_asks
}

@test "a JVM in a container is asked in there" {
	unshare --mount --pid --fork true 2>/dev/null ||
		skip "not allowed to make name spaces"
	begin_jvm unshare --mount --pid --fork --mount-proc \
		sh -c 'mount -t tmpfs none /tmp && exec "$@"' sh
	[ "$(sed -n 's/^NSpid:.*\t//p' "/proc/$process/status")" -lt 10 ]
	jvmmap "$process" | grep -q Spin.spin
	sampler_asks
}

@test "what is no JVM is left alone" {
	sleep 60 3>&- &
	process=$!
	run -2 --separate-stderr jvmmap "$process"
	[[ $stderr == *"process $process: it is not a JVM that supports jcmd" ]]
	kill -0 "$process"
	run -2 jvmmap
	run -2 jvmmap 1 2
	run -2 jvmmap self
	run -2 jvmmap 0
}

# begin_imitation [PROGRAM]: run Perl as another user's JVM: it maps a libjvm.so
# and catches SIGQUIT.  PROGRAM is run first.
begin_imitation() {
	[ "$(id -u)" -eq 0 ] || skip "only root can be another user"
	command -v perl >/dev/null || skip "no perl"
	chmod 711 "$BATS_TEST_TMPDIR"
	classes=$(mktemp -d /var/tmp/jvm.XXXXXX)
	cp "$(command -v perl)" "$classes/libjvm.so"
	chmod 777 "$classes"
	set -m # or it would ignore the signal, and could not catch it
	# shellcheck disable=SC2016 # of Perl
	setpriv --reuid 12345 --regid 12345 --clear-groups \
		"$classes/libjvm.so" -e '
		$folder = shift;
		$SIG{QUIT} = sub { };
		eval shift;
		die $@ if $@;
		open(F, ">", "$folder/ready"); close(F);
		sleep 1 while 1' "$classes" "${1-}" 3>&- &
	process=$!
	set +m
	within_minutes test -e "$classes/ready"
}

# The socket at which a JVM listens; what connects is written to FOLDER/asked,
# with its groups.
# shellcheck disable=SC2016 # of Perl
listening='
	use IO::Socket::UNIX;
	my $file = "/tmp/.java_pid" . ($pid // $$);
	my $socket = IO::Socket::UNIX->new(Local => $file, Listen => 1) or die;
	my $listener = fork;
	if ($listener) {
		open(L, ">", "$folder/listener");
		print L $listener;
		close(L);
	} else {
		my $asks = $socket->accept or die;
		my ($from) = unpack("i", getsockopt($asks, 1, 17)); # SO_PEERCRED
		open(S, "<", "/proc/$from/status");
		open(F, ">", "$folder/asked");
		print F grep(/^Groups/, <S>);
		close(F);
		exit;
	}'

@test "a JVM is asked without the groups of who asks" {
	begin_imitation "$listening"
	run -2 timeout 30 setpriv --groups 4242 "$(command -v jvmmap)" \
		"$process"
	within_minutes grep -q Groups "$classes/asked"
	run ! grep -q 4242 "$classes/asked"
}

@test "a socket of another user in place of the JVM's is asked nothing" {
	begin_imitation
	perl -e '$folder = shift; $pid = shift; eval shift; die $@ if $@; wait' \
		"$classes" "$process" "$listening" 3>&- &
	within_minutes test -S "/tmp/.java_pid$process"
	run --separate-stderr timeout 30 jvmmap "$process"
	kill %% # which would wait for ever
	[ "$status" -eq 2 ]
	[[ $stderr == *"it does not listen to jcmd"* ]]
	[ ! -e "$classes/asked" ]
}

# What a hostile JVM answers: a map that is COMMANDS in Perl.
answering() {
	cat <<-END
		use IO::Socket::UNIX;
		my \$socket = IO::Socket::UNIX->new(
			Local => "/tmp/.java_pid\$\$", Listen => 1) or die;
		my \$map = "/tmp/perf-\$\$.map";
		if (!fork) {
			my \$asks = \$socket->accept or die;
			sysread(\$asks, my \$request, 100);
			open(M, ">", \$map) or die;
			$1
			close(M);
			syswrite(\$asks, "0");
			exit;
		}
	END
}

@test "what a JVM writes gets to the terminal without control characters" {
	begin_imitation "$(answering 'print M "0x1000 0x20 a\e[2J\x9b\n", "rm -rf\n", "2000 30 int b(char)\n";')"
	run -0 --separate-stderr timeout 30 jvmmap "$process"
	[ "$output" = '0x1000 0x20 a\x1b[2J\x9b
2000 30 int b(char)' ]
	[[ $stderr == *"1 line"* ]]
}

@test "a JVM cannot fill the memory of who asks" {
	need_plain "AddressSanitizer needs more than the limit"
	begin_imitation "$(answering 'print M "x" x (1 << 20) for 1 .. 257;')"
	run -2 --separate-stderr timeout 30 jvmmap --limits memory=100M "$process"
	[[ $stderr == *"process $process: its map has more than 256 MiB" ]]
}

@test "OpenJ9 is asked nothing, for it would write a dump" {
	local library

	library=$(ldd "$(command -v bash)" | awk '/libtinfo/ { print $3 }')
	[ -n "$library" ] || skip "no library to take for another"
	cp "$(command -v bash)" libjvm.so
	cp "$library" libj9vm29.so
	set -m # or it would ignore the signal, and could not catch it
	LD_PRELOAD=$PWD/libj9vm29.so ./libjvm.so -c \
		'trap "echo >dumped" QUIT; echo >ready; while :; do sleep .1; done' 3>&- &
	process=$!
	set +m
	within_minutes test -e ready
	run -2 --separate-stderr jvmmap "$process"
	[[ $stderr == *"process $process: it is not a JVM that supports jcmd" ]]
	sleep 0.3
	[ ! -e dumped ]
}

@test "jitsym --pid has names of a JVM that runs, and no others do" {
	local address

	begin_jvm
	address=$(jvmmap "$process" | sed -n 's/ .*Spin\.spin.*//p' | tail -n 1)
	echo "java-$process;[unknown <${address#0x}>] 1" |
		sed 's/<0*/</' >in
	run -0 --separate-stderr jitsym --pid "$process" in
	[ "$output" = "java-$process;Spin.spin 1" ]
	[ -z "$stderr" ]
	run -0 --separate-stderr jitsym in
	[[ $output == *unknown* ]]
	run -0 --separate-stderr jitsym --no-search --pid "$process" in
	[[ $output == *unknown* ]]
}

@test "stacksample asks a JVM for its names, and keeps them; --no-ask-jvm" {
	begin_jvm
	stacksample -q -p "$process" -d 0.2 >raw ||
		skip "no right to look at processes"
	stacksample -q -p "$process" -F 50 -d 2 --native >raw
	stacksample -q -p "$process" -F 50 -d 1 --native --no-ask-jvm >quiet
	kill -KILL "$process"
	grep -qE '^J [0-9]+ [0-9a-f]+ [0-9a-f]+ .*Spin\.main' raw
	run ! grep '^J' quiet
	run -0 stackcollapse-pmp -q --jit raw
	[[ $output == *';Spin.main_[j]'* ]]
}

@test "flame shows the methods of a JVM that runs" {
	command -v perf >/dev/null || skip "no perf"
	perf record -q -e cpu-clock -o try -- true >/dev/null 2>&1 ||
		skip "perf may not record here"
	begin_jvm
	run -0 --separate-stderr "$command_dir/flame" -d 2 -p "$process" \
		--folded out.folded
	if [[ $stderr == *"read the code of JVM $process for stacks"* ]]; then
		grep -q ';Spin.main_\[[01j]\]' out.folded
	else
		grep -q ';Spin.main_\[j\]' out.folded
	fi
}

@test "flame needs no options of a JVM that it begins" {
	stackrecord -q -o try -- true >/dev/null 2>&1 || skip "no events"
	[ "$(id -u)" -eq 0 ] && [ "$(uname -m)" = x86_64 ] ||
		skip "the memory of a JVM may not be read"
	command -v javac >/dev/null || skip "no JDK"
	javac -d . "$top_srcdir/t/jit/Spin.java"
	run -0 --separate-stderr "$command_dir/flame" --folded out.folded \
		-- java -cp . Spin 1000000
	[[ $stderr != *JAVA_TOOL_OPTIONS* ]]
	[[ $stderr == *"flame: read the code of JVM "* ]]
	grep -q ';Spin.main_\[[01j]\]' out.folded
}
