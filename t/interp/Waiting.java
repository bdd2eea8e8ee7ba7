/*
 * Waiting.java - virtual threads that wait: started by Thread, by an executor, by
 * hundreds; parked for locks and queues, asleep; compiled, inlined and interpreted
 * frames, some with many arguments; runnable only from JDK 21 on, compiled for
 * older ones.  Prints "ready", or "none" where there are none.
 *
 * usage: Waiting CALLS THREADS
 */
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Waiting {
	static final ReentrantLock lock = new ReentrantLock();
	static final SynchronousQueue<String> queue = new SynchronousQueue<>();
	static volatile long sink;
	interface Wait {
		void now() throws Exception;
	}

	static void end(Wait w) throws Exception {
		w.now();
		sink++;
	}

	static void deep(int n, Wait w) throws Exception {
		if (n > 0)
			deep(n - 1, w);
		else
			end(w);
		sink += n;
	}

	/* More arguments than registers have room for. */
	static long wide(Wait w, long a, long b, long c, long d, long e, long f,
	    long g, long h, double x) throws Exception {
		long sum = a + b + c + d + e + f + g + h + (long)x;

		deep((int)(a % 5), w);
		return sum + a;
	}

	static void run(int depth, Wait w) {
		try {
			sink += wide(w, depth, 1, 2, 3, 4, 5, 6, 7, 8.0);
			deep(depth, w);
		} catch (Exception e) {
			System.out.println(e);
		}
	}

	static void nothing() {
		sink++;
	}

	static void park() {
		LockSupport.park();
	}

	static void locked() {
		lock.lock();
		lock.unlock();
	}

	static void taken() throws Exception {
		queue.take();
	}

	static void asleep() throws Exception {
		Thread.sleep(10000000);
	}

	static Wait wait(int i) {
		switch (i % 4) {
		case 0:
			return Waiting::park;
		case 1:
			return Waiting::locked;
		case 2:
			return Waiting::taken;
		default:
			return Waiting::asleep;
		}
	}

	public static void main(String[] args) throws Exception {
		final int calls = Integer.parseInt(args[0]);
		final int threads = Integer.parseInt(args[1]);
		final Method start;
		final ExecutorService executor;

		try {
			start = Thread.class.getMethod("startVirtualThread",
			    Runnable.class);
			executor = (ExecutorService)Executors.class
			    .getMethod("newVirtualThreadPerTaskExecutor")
			    .invoke(null);
		} catch (NoSuchMethodException e) {
			System.out.println("ready: none");
			return;
		}
		for (int i = 0; i < calls; i++)
			run(i % 8, Waiting::nothing);
		lock.lock();
		for (int i = 0; i < threads; i++) {
			final int n = i;
			final Runnable r = () -> run(n % 20, wait(n / 3));

			if (i % 3 == 0)
				executor.execute(r);
			else
				start.invoke(null, r);
		}
		Thread.sleep(500);
		System.out.println("ready");
		Thread.sleep(1000000);
	}
}
