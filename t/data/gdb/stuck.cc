// stuck.cc - threads with the stacks that debuggers print oddly.
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
std::mutex held, m2;
std::condition_variable cond;
volatile long sink;
enum class mode : int { fast = 1, slow = 2 };
struct point { int x, y; const char *label; };

template <typename T, mode M> struct box {
	T value;
	NOINLINE void operator()(const T &t, point p);
	NOINLINE operator bool() const;
	NOINLINE bool operator<(const box &o) const;
	NOINLINE box &operator<<(const std::string &s);
	NOINLINE T *operator->();
};
NOINLINE void wait_here(const char *text, const std::function<void(int (*)(char))> &f)
{
	std::unique_lock<std::mutex> l(m2);
	while (sink >= 0) cond.wait(l);
	sink = strlen(text);
}
template <typename T, mode M> void box<T, M>::operator()(const T &, point)
{ wait_here("a \"quoted\" (text) at x.c:12 from /lib/x.so, in main ()", nullptr); sink++; }
template <typename T, mode M> box<T, M>::operator bool() const
{ std::lock_guard<std::mutex> g(held); sink++; return sink; }
template <typename T, mode M> bool box<T, M>::operator<(const box &) const
{ sleep(1000); sink++; return sink; }
template <typename T, mode M> box<T, M> &box<T, M>::operator<<(const std::string &)
{ char c; sink += read(0, &c, 1); sink++; return *this; }
template <typename T, mode M> T *box<T, M>::operator->()
{ for (;;) sink++; }

namespace {
NOINLINE void hidden(std::vector<std::pair<int, std::string>> v)
{ box<std::map<std::string, int>, mode::fast> b; std::map<std::string, int> m; b(m, point{ 1, 2, "a;b" }); sink += v.size(); }
inline __attribute__((always_inline)) void inl2(int n) { pause(); sink += n; }
inline __attribute__((always_inline)) void inl1(int n) { inl2(n + 1); sink += n; }
}
NOINLINE void with_inlines(int n) { inl1(n); sink += n; }
NOINLINE int tail_target(int n) { usleep(1000000000u); return sink + n; }
NOINLINE int tail_caller(int n) { return tail_target(n + 1); }
struct guard { NOINLINE ~guard() { raise(SIGUSR1); sink++; } };
NOINLINE void thrower(int n) { guard g; if (n) throw std::runtime_error("x"); }
void on_signal(int) { pause(); sink++; }

static void run(int i)
{
	box<unsigned long long, (mode)2> b{}; 
	switch (i) {
	case 0: hidden({ { 1, "one" } }); break;
	case 1: if (b) sink++; break;
	case 2: if (b < b) sink++; break;
	case 3: b << std::string("a (string) at b.c:1"); break;
	case 4: b.operator->(); break;
	case 5: with_inlines(4); break;
	case 6: sink += tail_caller(5); break;
	case 7: try { thrower(1); } catch (std::exception &e) { sink++; } break;
	case 8: [&](auto f) { std::function<void(int)> g = [&](int k) { wait_here("lambda", nullptr); sink += k; }; g(1); sink += f; }(3.5); break;
	}
	sink++;
}
int main()
{
	held.lock();
	signal(SIGUSR1, on_signal);
	std::vector<std::thread> t;
	for (int i = 0; i < 9; i++) t.emplace_back(run, i);
	puts("ready"); fflush(stdout);
	for (auto &x : t) x.join();
}
