// Prog.java - threads that work, wait and are blocked, for a minute at most.
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class Prog {
	static final Object lock = new Object();

	static long fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void hold() throws InterruptedException {
		synchronized (lock) {
			Thread.sleep(60000);
		}
	}

	static void queue() {
		synchronized (lock) {
			System.out.println("mine");
		}
	}

	public static void main(String[] args) throws Exception {
		var pool = Executors.newFixedThreadPool(4);

		pool.submit(() -> {
			for (;;)
				fib(30);
		});
		pool.submit(() -> {
			hold();
			return null;
		});
		pool.submit(Prog::queue);
		TimeUnit.SECONDS.sleep(60);
		System.exit(0);
	}
}
