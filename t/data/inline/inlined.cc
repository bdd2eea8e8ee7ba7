// inlined.cc - functions inlined into each other, of all kinds of names.
volatile unsigned sink, rounds;

#define INLINE __attribute__((always_inline)) inline
#define ALONE __attribute__((noinline, noclone))

namespace app {
INLINE unsigned step(unsigned n) { return n * 2654435761u ^ n >> 7; }

struct Mixer {
	unsigned seed;
	INLINE unsigned mix(unsigned n) const { return step(n) + step(n + seed); }
};
}

namespace {
struct Hidden {
	static INLINE unsigned twice(unsigned n) { return app::step(app::step(n)); }
};
}

template <typename F> static INLINE unsigned repeat(unsigned n, F f)
{
	unsigned sum = 0;
	while (n-- > 0)
		sum += f(n) ^ sink;
	return sum;
}

static ALONE unsigned spin(unsigned n)
{
	app::Mixer m = { n };
	return repeat(n, [m](unsigned i) { return m.mix(i) + Hidden::twice(i); });
}

static INLINE unsigned call(unsigned n) { return spin(n) + 1; }

int main()
{
	for (rounds = 0; rounds < 300; rounds++)
		sink += call(400000);
}
