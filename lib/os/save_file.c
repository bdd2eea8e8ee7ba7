/* save_file.c - create new files in the current folder, from the sandbox. */
#include "os/save_file.h"

#include "os/fd_pass.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Files with names of the same second. */
#define MAX_TRIES 100

struct save_file_request {
	bool removes; /* the file created last; else create one */
	uint64_t number;
};

struct save_file_answer {
	int error;
	char name[SAVE_FILE_NAME];
};

static void
make_name(const struct save_file *s, uint64_t number, int attempt,
	  char name[SAVE_FILE_NAME])
{
	const time_t now = time(NULL);
	char stamp[32] = "", of[32] = "", again[32] = "";
	struct tm tm;

	if (localtime_r(&now, &tm) != NULL)
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (number > 0)
		snprintf(of, sizeof(of), "%" PRIu64 "-", number);
	if (attempt > 1)
		snprintf(again, sizeof(again), "-%d", attempt);
	snprintf(name, SAVE_FILE_NAME, "%s-%s%s%s%s", s->name, of, stamp, again,
		 s->suffix);
}

/* O_EXCL never opens a file or a link that is already there. */
static int
create(const struct save_file *s, uint64_t number, char name[SAVE_FILE_NAME])
{
	int fd = -1, i;

	errno = EEXIST;
	for (i = 1; i <= MAX_TRIES && fd < 0 && errno == EEXIST; i++) {
		make_name(s, number, i, name);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	return fd;
}

/* The helper: answer requests until the program ends. */
static void
serve(void *arg, int socket)
{
	const struct save_file *s = arg;
	struct save_file_request request;
	struct save_file_answer answer = { 0 };
	int fd;

	while (fd_pass_receive(socket, &request, sizeof(request), NULL, 0)) {
		if (request.removes) {
			if (answer.error == 0 && answer.name[0] != '\0')
				unlink(answer.name);
			answer = (struct save_file_answer){ 0 };
			continue;
		}
		fd = create(s, request.number, answer.name);
		answer.error = fd < 0 ? errno : 0;
		fd_pass_send(socket, &answer, sizeof(answer), &fd, fd >= 0);
		if (fd >= 0)
			close(fd);
	}
}

void
save_file_start(struct save_file *s)
{
	helper_start(&s->helper, serve, s, s->name);
}

/* Write all of the text, and close the file.  Returns an errno, or 0. */
static int
write_text(int fd, struct str text)
{
	int error = 0;
	ssize_t n;

	while (text.len > 0 && error == 0) {
		n = write(fd, text.p, text.len);
		if (n >= 0)
			text = str_skip(text, (size_t)n);
		else if (errno != EINTR)
			error = errno;
	}
	if (close(fd) != 0 && error == 0)
		error = errno;
	return error;
}

int
save_file_write(struct save_file *s, uint64_t number, struct str text,
		char name[SAVE_FILE_NAME])
{
	struct save_file_request request = { .number = number };
	struct save_file_answer answer = { .error = EPIPE };
	const int socket = s->helper.socket;
	int fd;

	if (!fd_pass_send(socket, &request, sizeof(request), NULL, 0) ||
	    !fd_pass_receive(socket, &answer, sizeof(answer), &fd, 1))
		return answer.error != 0 ? answer.error : EPIPE;
	memcpy(name, answer.name, SAVE_FILE_NAME);
	answer.error = write_text(fd, text);
	if (answer.error != 0) {
		request.removes = true;
		fd_pass_send(socket, &request, sizeof(request), NULL, 0);
	}
	return answer.error;
}
