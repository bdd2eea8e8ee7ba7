/*
 * Parked.java - threads that hold still, in stacks of all kinds.  Prints them as
 * the VM has them, a line each, and then "ready".
 */
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

public class Parked {
	static volatile boolean park;
	static final ThreadLocal<Boolean> mine = ThreadLocal.withInitial(() -> false);
	static final Object monitor = new Object();
	static CountDownLatch parked;
	static volatile long sink;

	/* Warm calls return; the last one stays. */
	static int stay(int n) {
		if (park && mine.get()) {
			parked.countDown();
			for (;;)
				LockSupport.park();
		}
		return n * 31;
	}

	static int inner(int n) { return stay(n + 1) + 1; }
	static int middle(int n) { return inner(n * 3) - 1; }
	static int outer(int n) {
		int x = 0;

		for (int i = 0; i < 3; i++)
			x += middle(n + i);
		return x;
	}

	static int deep(int n) { return n == 0 ? stay(n) : deep(n - 1) + 1; }

	interface Op { int of(int n); }
	static class A implements Op { public int of(int n) { return stay(n); } }
	static class B implements Op { public int of(int n) { return stay(n) + 1; } }
	static class C implements Op { public int of(int n) { return stay(n) + 2; } }
	static final Op[] ops = { new A(), new B(), new C() };
	static int mega(int n) { int x = 0; for (int i = 0; i < 3; i++) x += ops[(n + i) % 3].of(n); return x; }

	static int stream(int n) { return IntStream.range(0, 3).map(i -> stay(i + n)).sum(); }

	static int sorted(int n) {
		final Integer[] all = { 3, n, 7, 1 };

		Arrays.sort(all, (a, b) -> {
			stay(1);
			return a - b;
		});
		return all[0];
	}

	public static Integer target(int n) { return stay(n); }
	static int reflected(int n) {
		try {
			final Method m = Parked.class.getMethod("target", int.class);

			return (Integer)m.invoke(null, n);
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
	}

	static int caught(int n) {
		try {
			if (n >= 0)
				throw new IllegalStateException();
		} catch (IllegalStateException e) {
			return stay(n);
		} finally {
			sink++;
		}
		return 0;
	}

	static int locked(int n) {
		synchronized (new Object()) {
			return stay(n);
		}
	}

	static class Fresh {
		static int made;

		static { made = stay(5); }
	}
	/* Not while the thread warms up: then it would not park later. */
	static int initialized(int n) { return mine.get() ? Fresh.made : n; }

	/* Is compiled while it runs, and then parks. */
	static int replaced(int n) {
		int x = n;

		for (int i = 0; i < 3000000; i++)
			x = x * 31 + i;
		return x + stay(x);
	}

	static void start(String name, IntUnaryOperator f, int warm) {
		final Thread t = new Thread(() -> {
			for (int i = 0; i < warm; i++)
				sink += f.applyAsInt(i);
			while (!park)
				Thread.onSpinWait();
			mine.set(true);
			sink += f.applyAsInt(warm);
		}, name);

		t.setDaemon(true);
		t.start();
	}

	static void print() {
		final Map<String, String> all = new TreeMap<>();

		for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
			final StringBuilder line = new StringBuilder(e.getKey().getName());

			for (int i = e.getValue().length - 1; i >= 0; i--) {
				final StackTraceElement f = e.getValue()[i];

				line.append(';').append(f.getClassName().replace('.', '/'))
				    .append('.').append(f.getMethodName());
				if (f.getLineNumber() > 0)
					line.append(':').append(f.getLineNumber());
			}
			if (e.getKey().getName().startsWith("p-"))
				all.put(e.getKey().getName(), line.toString());
		}
		for (String line : all.values())
			System.out.println(line);
	}

	public static void main(String[] args) throws Exception {
		final int warm = Integer.parseInt(args[0]);

		parked = new CountDownLatch(12);
		start("p-outer", Parked::outer, warm);
		start("p-deep", n -> deep(n < warm ? 20 : 1000), warm);
		start("p-mega", Parked::mega, warm);
		start("p-stream", Parked::stream, warm);
		start("p-sorted", Parked::sorted, warm);
		start("p-reflect", Parked::reflected, warm);
		start("p-caught", Parked::caught, warm);
		start("p-locked", Parked::locked, warm);
		start("p-init", Parked::initialized, warm);
		start("p-osr", Parked::replaced, 2);
		start("p-cold", Parked::outer, 0);
		start("p-lambda", n -> ((IntUnaryOperator)m -> stay(m)).applyAsInt(n), warm);
		park = true;
		parked.await();
		Thread.sleep(100);
		print();
		System.out.println("ready");
		Thread.sleep(120000);
	}
}
