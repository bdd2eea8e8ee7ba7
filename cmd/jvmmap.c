/* jvmmap - write the perf map of a running JVM. */
#include "cli/cmd.h"
#include "jit/jvm.h"

#include <err.h>
#include <inttypes.h>

static const struct cmd_option options[] = { { NULL, 0, NULL, NULL, false } };

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] PID",
			   .summary = "Write the perf map of a running JVM.",
			   .unconfined = true,
			   .options = options };
	struct buf map = { 0 }, why = { 0 };
	uint64_t pid;

	cmd_begin(&cmd, argc, argv);
	if (cmd_next(&cmd) != -1 || cmd.nfile != 1)
		cmd_usage(&cmd, "one process is needed");
	if (!str_u64(str_of(cmd.file[0]), &pid) || pid == 0 || pid > INT32_MAX)
		cmd_usage(&cmd, "not a process id: %s", cmd.file[0]);
	if (!jvm_map((int64_t)pid, &map, &why))
		errx(CMD_ERROR, "process %" PRIu64 ": %.*s", pid, (int)why.len,
		     why.p);
	fwrite(map.p, 1, map.len, stdout);
	buf_free(&map);
	buf_free(&why);
	return cmd_done(&cmd);
}
