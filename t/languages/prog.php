<?php
// prog.php - work of three kinds.
function fib($n) {
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

function sorted($n) {
	$a = [];
	for ($i = 0; $i < $n; $i++)
		$a[] = $i * 7919 % $n;
	usort($a, fn($x, $y) => $x - $y);
	return $a[intdiv($n, 2)];
}

class Words {
	function count($n) {
		$seen = [];
		for ($i = 0; $i < $n; $i++) {
			$word = str_repeat("w", $i % 50) . $i % 1000;
			$seen[$word] = ($seen[$word] ?? 0) + $i;
		}
		return count($seen);
	}
}

echo fib(18), " ", sorted(3000), " ", (new Words)->count(30000), "\n";
