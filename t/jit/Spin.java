/* Spin - a program for jvm.bats, that says when its code is compiled; for so many
 * calls, or without an argument, until it is killed. */
public class Spin {
	static int spin(int seed) {
		int n = seed;

		for (int i = 0; i < 1000; i++)
			n = n * 31 + (i ^ n >>> 7);
		return n;
	}

	public static void main(String[] args) {
		int n = 1, last = args.length == 0 ? -1 : Integer.parseInt(args[0]);

		for (int i = 0; i != last; i++) {
			n = spin(n);
			if (i == 200000)
				System.out.println("warm " + n);
		}
	}
}
