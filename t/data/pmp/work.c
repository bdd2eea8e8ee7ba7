/* work.c - threads that compute in several functions, and one that waits. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile double x; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t cond;
__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) x = x * 1.0001 + i; }
__attribute__((noinline)) void add(int n) { leaf(n); x++; }
__attribute__((noinline)) void scale(int n) { leaf(2 * n); x++; }
__attribute__((noinline)) int recurse(int n) { if (n == 0) { add(200000); return 1; } return recurse(n - 1) + 1; }
__attribute__((noinline)) void step(void) { add(100000); scale(100000); recurse(3); }
static void *run(void *p) { for (;;) step(); return p; }
static void *idle(void *p) { pthread_mutex_lock(&lock); for (;;) pthread_cond_wait(&cond, &lock); return p; }
static void *deep(void *p) { if ((long)p > 0) { deep((void *)((long)p - 1)); x++; } else sleep(1000); return p; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL); pthread_create(&t, NULL, idle, NULL); pthread_create(&t, NULL, deep, (void *)30L);
	puts("ready"); fflush(stdout); pause(); return 0;
}
