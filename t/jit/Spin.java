/* Spin - a program for jvm.bats, that says when its code is compiled. */
public class Spin {
	static int spin(int seed) {
		int n = seed;

		for (int i = 0; i < 1000; i++)
			n = n * 31 + (i ^ n >>> 7);
		return n;
	}

	public static void main(String[] args) {
		int n = 1;

		for (int i = 0; ; i++) {
			n = spin(n);
			if (i == 200000)
				System.out.println("warm " + n);
		}
	}
}
