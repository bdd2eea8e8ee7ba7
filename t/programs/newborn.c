/* newborn - creates 16 threads, each of which works for 200 us, again and
 * again. It says "ready" first. */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *
work(void *unused)
{
	struct timespec now;
	long end;

	(void)unused;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = now.tv_nsec + 200000;
	while (now.tv_nsec < end && now.tv_sec == 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return NULL;
}

int
main(void)
{
	pthread_t thread[16];
	int i;

	puts("ready");
	fflush(stdout);
	for (;;) {
		for (i = 0; i < 16; i++) {
			if (pthread_create(&thread[i], NULL, work, NULL) != 0)
				errx(2, "no thread");
		}
		for (i = 0; i < 16; i++)
			pthread_join(thread[i], NULL);
	}
}
