/*
 * Grammar.java - threads whose stacks are sentences of a grammar, which
 * hotspot_grammar.awk checks: each method of Grammar is called by one other, but
 * for rec(), which is called 51 deep.
 */
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

public class Grammar {
	static volatile long sink;
	static volatile Object object;
	static byte[] victim;

	public static int work(int n) {
		int x = n;

		for (int i = 0; i < 20; i++)
			x = x * 31 + i;
		return x;
	}

	/* Recursion. */
	static int rec(int n) { return n == 0 ? recLeaf(n) : rec(n - 1) + 1; }
	static int recLeaf(int n) {
		int x = n;

		for (int i = 0; i < 50; i++)
			x ^= x * 7 + i;
		return x;
	}
	static void recursion() { sink += rec(50); }

	/* A chain, of which some methods are inlined. */
	static int c1(int n) { return c2(n + 1) + c2(n + 2); }
	static int c2(int n) { return c3(n * 3) + c3(n * 5); }
	static int c3(int n) { return c4(n ^ 7) - c4(n ^ 9); }
	static int c4(int n) { int x = 0; for (int i = 0; i < 9; i++) x += c5(n + i); return x; }
	static int c5(int n) { return c6(n) * c6(n + 1); }
	static int c6(int n) { return n % 3 == 0 ? c7(n) : n; }
	static int c7(int n) { int x = n; for (int i = 0; i < 5; i++) x = x * 17 + i; return x; }
	static void chain() { sink += c1((int)sink); }

	/* Calls that cannot be inlined. */
	public interface Shape { int area(int n); }
	static class S0 implements Shape { public int area(int n) { return side0(n); } int side0(int n) { return n * 3; } }
	static class S1 implements Shape { public int area(int n) { return side1(n); } int side1(int n) { return n * 5 + 1; } }
	static class S2 implements Shape { public int area(int n) { return side2(n); } int side2(int n) { return n ^ 77; } }
	static class S3 implements Shape { public int area(int n) { return side3(n); } int side3(int n) { int x = n; for (int i = 0; i < 9; i++) x += i * x; return x; } }
	static final Shape[] shapes = { new S0(), new S1(), new S2(), new S3() };
	static void mega() { int x = 0; for (int i = 0; i < 400; i++) x += shapes[i & 3].area(i); sink += x; }

	/* Lambdas. */
	static int mapped(int n) { int x = n; for (int i = 0; i < 7; i++) x = x * 3 + i; return x; }
	static void lambdas() { sink += IntStream.range(0, 200).map(n -> mapped(n)).filter(n -> n % 3 != 0).sum(); }

	/* Exceptions. */
	static final RuntimeException thrown = new RuntimeException();
	static int e1(int n) { return e2(n) + 1; }
	static int e2(int n) { return e3(n) + 1; }
	static int e3(int n) { if ((n & 3) != 0) throw (n & 16) != 0 ? thrown : new RuntimeException(); return n; }
	static void exceptions() {
		for (int i = 0; i < 50; i++) {
			try {
				sink += e1(i);
			} catch (RuntimeException e) {
				sink++;
			}
		}
	}

	/* One call that runs long enough to be compiled while it runs. */
	static int looped(int n) { int x = n; for (int i = 0; i < 11; i++) x = x * 13 + i; return x; }
	static void loop() { for (int i = 0; ; i++) sink += looped(i); }

	/* A loop that cannot be left for a safepoint, if compiled by C2 for some collectors. */
	static int unpolled(int n) { int x = n; for (int i = 0; i < 1000000; i++) x = x * 31 + (i ^ x >>> 7); return x; }
	static void counted() { sink += unpolled((int)sink); }

	/* Reflection. */
	public static int reflected(int n) { int x = n; for (int i = 0; i < 30; i++) x = x * 13 + i; return x; }
	static void reflection() {
		try {
			final Method m = Grammar.class.getMethod("reflected", int.class);

			for (int i = 0; i < 100; i++)
				sink += (Integer)m.invoke(null, i);
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
	}

	/* Code that is made for the CPU, without descriptions. */
	static final byte[] bytes = new byte[4096], others = new byte[4096];
	static final CRC32 crc = new CRC32();
	static void stubs() {
		System.arraycopy(bytes, 1, others, 0, 4000);
		Arrays.fill(others, 77, 3000, (byte)sink);
		crc.update(bytes, 0, bytes.length);
		sink += crc.getValue() + (Arrays.equals(bytes, others) ? 1 : 0);
		sink += Math.sin(sink) > 0 ? 1 : 0;
	}

	/* Native methods. */
	static void natives() {
		Thread.yield();
		sink += System.identityHashCode(new Object());
		sink += Thread.currentThread().isAlive() ? 1 : 0;
	}

	/* Memory. */
	static Object allocated(int n) { return new int[n % 300 + 10]; }
	static void memory() { for (int i = 0; i < 100; i++) object = allocated(i); }

	/* Monitors. */
	static synchronized void entered() { sink = work((int)sink); }
	static void monitors() { entered(); }

	/* Classes that come and go, each of which ends assumptions. */
	public static class Victim implements Shape {
		public int area(int n) { return victimSide(n); }
		int victimSide(int n) { return work(n); }
	}
	static class Loader extends ClassLoader {
		Loader() { super(Grammar.class.getClassLoader()); }
		Class<?> define() { return defineClass("Grammar$Victim", victim, 0, victim.length); }
	}
	static int called(Shape s) { int x = 0; for (int i = 0; i < 300; i++) x += s.area(i); return x; }
	static void unloaded() {
		try {
			final Shape s = (Shape)new Loader().define().getConstructor().newInstance();

			for (int i = 0; i < 40; i++)
				sink += called(s);
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
	}

	static void start(String name, Runnable r, boolean once) {
		final Thread t = new Thread(() -> {
			do
				r.run();
			while (!once || true);
		}, name);

		t.setDaemon(true);
		t.start();
	}

	public static void main(String[] args) throws Exception {
		try (java.io.InputStream in = Grammar.class.getResourceAsStream("Grammar$Victim.class")) {
			victim = new byte[in.available()];
			new java.io.DataInputStream(in).readFully(victim);
		}
		start("recursion", Grammar::recursion, false);
		start("chain", Grammar::chain, false);
		start("mega", Grammar::mega, false);
		start("lambdas", Grammar::lambdas, false);
		start("exceptions", Grammar::exceptions, false);
		start("loop", Grammar::loop, true);
		start("counted", Grammar::counted, false);
		start("reflection", Grammar::reflection, false);
		start("stubs", Grammar::stubs, false);
		start("natives", Grammar::natives, false);
		start("memory", Grammar::memory, false);
		start("monitors1", Grammar::monitors, false);
		start("monitors2", Grammar::monitors, false);
		start("unloaded", Grammar::unloaded, false);
		System.out.println("ready");
		Thread.sleep(args.length > 0 ? Long.parseLong(args[0]) * 1000 : 120000);
	}
}
