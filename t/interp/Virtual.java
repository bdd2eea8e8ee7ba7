/*
 * Virtual.java - virtual threads that run and sleep by turns, at some depth, and
 * others that only wait.  Prints "ready", or "none" where there are none.
 */
import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

public class Virtual {
	static volatile long sink;

	static void work() {
		long x = 1;

		for (int i = 0; i < 3000000; i++)
			x = x * 31 + i;
		sink += x;
	}

	/* The frames beyond the last call of sleep() are in the heap by then. */
	static void deep(int n) throws InterruptedException {
		if (n > 0) {
			deep(n - 1);
			work();
			return;
		}
		Thread.sleep(1);
		work();
	}

	static void run() {
		try {
			for (;;)
				deep(6);
		} catch (InterruptedException e) {
			System.out.println(e);
		}
	}

	static void park() {
		for (;;)
			LockSupport.park();
	}

	public static void main(String[] args) throws Exception {
		final Method start;

		try {
			start = Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException e) {
			System.out.println("ready: none");
			return;
		}
		for (int i = 0; i < 2; i++)
			start.invoke(null, (Runnable)Virtual::run);
		for (int i = 0; i < 20; i++)
			start.invoke(null, (Runnable)Virtual::park);
		System.out.println("ready");
		Thread.sleep(1000000);
	}
}
