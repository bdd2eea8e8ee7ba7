/*
 * Waits.java - threads that wait in all the ways of Java.  Prints "ready" when
 * they do, and lines as jstack has them: name, state.
 */
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Waits {
	static class Queue {}

	static final Queue queue = new Queue();
	static final Object message = new Object();
	static final ReentrantLock lock = new ReentrantLock();
	static final ReentrantLock other = new ReentrantLock();
	static final Condition condition = other.newCondition();
	static final CountDownLatch never = new CountDownLatch(1);
	static final CountDownLatch held = new CountDownLatch(2);

	interface Wait { void on() throws Exception; }

	static Thread start(String name, Wait wait) {
		final Thread t = new Thread(() -> {
			try {
				wait.on();
			} catch (Exception e) {
				System.out.println(e);
			}
		}, name);

		t.setDaemon(true);
		t.start();
		return t;
	}

	static void enter() {
		synchronized (queue) {
			System.out.println("entered");
		}
	}

	public static void main(String[] args) throws Exception {
		final Thread[] all = new Thread[9];
		int waiting;

		all[0] = start("w-owner", () -> {
			synchronized (queue) {
				held.countDown();
				Thread.sleep(1000000);
			}
		});
		all[1] = start("w-locker", () -> {
			lock.lock();
			held.countDown();
			Thread.sleep(1000000);
		});
		held.await();
		all[2] = start("w-enter", Waits::enter);
		all[3] = start("w-enter2", Waits::enter);
		all[4] = start("w-notify", () -> {
			synchronized (message) {
				message.wait();
			}
		});
		all[5] = start("w-lock", lock::lock);
		all[6] = start("w-condition", () -> {
			other.lock();
			condition.await();
		});
		all[7] = start("w-latch", never::await);
		all[8] = start("w-park", () -> {
			for (;;)
				LockSupport.park();
		});
		do {
			waiting = 0;
			for (Thread t : all) {
				if (t.getState() != Thread.State.RUNNABLE &&
				    t.getState() != Thread.State.NEW)
					waiting++;
			}
			Thread.sleep(20);
		} while (waiting < all.length);
		System.out.println("ready");
		Thread.sleep(1000000);
	}
}
