// Job - some work in Java: strings, maps, sorting; as often as the argument says.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Job {
	static Map<String, Integer> count(List<String> words) {
		Map<String, Integer> table = new HashMap<>();
		for (String w : words)
			table.merge(w, 1, Integer::sum);
		return table;
	}

	static String encode(Map<String, Integer> table) {
		StringBuilder out = new StringBuilder();
		for (Map.Entry<String, Integer> e : table.entrySet())
			out.append(e.getKey()).append('=').append(e.getValue());
		return out.toString();
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] args) {
		Random random = new Random(1);
		List<String> words = new ArrayList<>();
		long sum = 0;

		for (int i = 0; i < 60000; i++)
			words.add("w" + random.nextInt(9000));
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			sum += encode(count(words)).length();
			List<String> sorted = new ArrayList<>(words);
			sorted.sort(null);
			sum += sorted.get(i).hashCode() + fib(22);
		}
		System.out.println(sum);
	}
}
