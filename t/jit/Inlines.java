/* Inlines - a program for agent.bats.  A comment on a line names the method that
 * the line is in.  Without an argument it runs until it is killed. */
public class Inlines {
	static int mix(int n) {
		return n * 31 + (n >>> 7); // in mix
	}

	static int twice(int n) {
		int m = mix(n); // in twice

		return mix(m ^ 5) + m; // in twice
	}

	static int work(int n) {
		int sum = n; // in work

		for (int i = 0; i < 1000; i++) // in work
			sum += twice(sum + i); // in work
		return sum; // in work
	}

	public static void main(String[] args) {
		int n = 1, last = args.length == 0 ? -1 : Integer.parseInt(args[0]);

		for (int i = 0; i != last; i++) {
			n = work(n);
			if (i == 200000)
				System.out.println("warm " + n);
		}
	}
}
