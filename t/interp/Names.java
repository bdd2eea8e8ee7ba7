/* Names.java - threads that wait, with names that the kernel cuts. */
public class Names {
	static void start(String name) {
		final Thread t = new Thread(() -> {
			for (;;) {
				try {
					Thread.sleep(10000);
				} catch (InterruptedException e) {
					return;
				}
			}
		}, name);

		t.setDaemon(true);
		t.start();
	}

	public static void main(String[] args) throws Exception {
		start("a thread with a long name");
		start("Gr\u00f6\u00dfe \u4e2d\u6587 \ud83d\ude00 in a name");
		System.out.println("ready");
		Thread.sleep(120000);
	}
}
