// job - some work in JavaScript: JSON, strings, maps, sorting; as often as the
// argument says.
'use strict';

let seed = 1;
const random = (n) => {
	seed = (seed * 16807) % 2147483647;
	return seed % n;
};
const words = Array.from({length: 60000}, () => `w${random(9000)}`);

function count(list) {
	const table = new Map();
	for (const w of list)
		table.set(w, (table.get(w) || 0) + 1);
	return [...table].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function search(text) {
	return text.match(/w(\d+)5\b/g).length + text.split(/\s+/).length;
}

function encode(table) {
	return JSON.parse(JSON.stringify(table, null, 1));
}

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

for (let i = 0; i < process.argv[2]; i++) {
	const table = count(words);
	search(words.join(' '));
	encode(table);
	fib(25);
}
