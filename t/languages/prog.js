// prog.js - work of three kinds.
function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function sorted(n) {
	return Array.from({ length: n }, (_, i) => (i * 7919) % n).sort(
		function order(a, b) {
			return a - b;
		},
	)[n >> 1];
}

class Words {
	count(n) {
		const seen = new Map();
		for (let i = 0; i < n; i++) {
			const word = "w".repeat(i % 50) + (i % 1000);
			seen.set(word, (seen.get(word) || 0) + i);
		}
		return JSON.stringify([...seen]).length;
	}
}

console.log(fib(35), sorted(500000), new Words().count(500000));
