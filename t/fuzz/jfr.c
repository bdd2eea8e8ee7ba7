/*
 * jfr - recordings of JDK Flight Recorder as a libFuzzer target.  The last
 * byte chooses options.  The command stackcollapse-jfr is a target, too, which
 * is slower.
 */
#include "formats/jfr_file.h"
#include "reader/sink-internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
read_into(struct input *in, unsigned choice)
{
	static const struct reader reader = { .order = LEAF_FIRST };
	const struct sink_options options = { .mix = true,
					      .samples = choice & 1 };
	const struct jfr_options opt = { .subjects = choice & 2,
					 .threads = choice & 4,
					 .lines = choice & 8,
					 .list = choice & 16 };
	struct cmd cmd = { .synopsis = "" };
	struct sink *sink = sink_new(&options, &reader, &cmd);

	jfr_file_read(in, sink, &opt);
	sink_free(sink);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int fd = -1; /* one for all runs: making one is slow */
	struct tally tally = { 0 };
	struct input in;

	/* Anything else may be compressed, for another program to read. */
	if (size < 1 + JFR_MAGIC.len ||
	    memcmp(data, JFR_MAGIC.p, JFR_MAGIC.len) != 0)
		return 0;
	if (fd < 0)
		fd = memfd_create("jfr", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) != 0 ||
	    pwrite(fd, data, size - 1, 0) != (ssize_t)size - 1 ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	input_open_fd(&in, "jfr", dup(fd), &tally);
	read_into(&in, data[size - 1]);
	input_close(&in);
	buf_free(&tally.first);
	return 0;
}
