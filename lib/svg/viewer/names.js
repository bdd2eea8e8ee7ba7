/* names.js - names, numbers, and hashes that outlive the picture. */

let names, shades, later, exact;   // of the table
let bases;                         // for each name, one without its suffix
let hashes;                        // for each name, two numbers
const display = [];                // for each name, how it is shown

function loadTable(bytes) {
	const reader = new Reader(bytes);
	if (reader.number() !== 1)
		throw new Error('unknown version of the table');
	const flags = reader.number();
	reader.number();   // the scale, which cfg has too
	const length = reader.number();
	reader.pos += length;   // the header
	const nnames = reader.number(), n = reader.number();
	names = reader.names(nnames);
	names.push('all');
	shades = reader.column(nnames, new Uint32Array(nnames + 1)).slice(1);
	const up = reader.column(n, new Uint32Array(n + 1));
	const name = reader.column(n, new Uint32Array(n + 1));
	const parent = new Uint32Array(n + 1), depth = new Uint32Array(n + 1);
	const path = [0];
	name[0] = nnames;
	for (let i = 1, d = 0; i <= n; i++) {
		d += 1 - up[i];
		depth[i] = d;
		parent[i] = path[d - 1];
		path[d] = i;
	}
	const counts = reader.pos;
	const self = reader.column(n, new Float64Array(n + 1));
	const before = flags & 1 ? reader.column(n, new Float64Array(n + 1)) : null;
	const judged = cfg.verdicts ? new Uint32Array(n + 1) : null;
	(cfg.verdicts || []).forEach(([place], k) => {
		judged[place] = k + 1;
	});
	const lead = flags & 8 ? reader.column(n, new Float64Array(n + 1)) : null;
	const tree = new Tree({name, parent, depth, end: endsOf(parent)}, {self, before, judged, lead});
	later = flags & 2 ? reader : null;
	if (tree.all > Number.MAX_SAFE_INTEGER)
		exact = exactSums(bytes, counts, n);
	return tree;
}

/* Beyond 2^53 totals are printed from these. */
function exactSums(bytes, pos, n) {
	const reader = new Reader(bytes);
	reader.pos = pos;
	const sum = [0n];
	reader.bigColumn(n).forEach((value, i) => sum.push(sum[i] + value));
	return sum;
}

const SUFFIX = /(?!^)_\[[kjiw01]\]$/;
const HARMFUL = /\\x(?:[01][\da-fA-F]|7[fF]|[89a-fA-F][\da-fA-F])|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/* A name as it is shown: svgtext_name() does the same. */
function shown(name) {
	if (display[name] === undefined)
		display[name] = names[name].replace(SUFFIX, '').replace(HARMFUL, '\ufffd');
	return display[name];
}

function baseOf(name) {
	if (!bases) {
		const known = new Map();
		bases = new Uint32Array(names.length);
		names.forEach((text, i) => {
			const base = text.replace(SUFFIX, '');
			if (!known.has(base))
				known.set(base, i);
			bases[i] = known.get(base);
		});
	}
	return bases[name];
}

/* FNV-1a, twice, so that a path is hardly ever mistaken for another. */
function hashOf(name) {
	hashes = hashes || [];
	if (!hashes[name]) {
		let a = 0x811c9dc5, b = 0x1234567;
		for (const c of names[name]) {
			a = Math.imul(a ^ c.codePointAt(0), 0x1000193);
			b = Math.imul(b ^ c.codePointAt(0), 0x1000197);
		}
		hashes[name] = [a, b];
	}
	return hashes[name];
}

function mix(path, name) {
	const [a, b] = hashOf(name);
	return [Math.imul(path[0] ^ a, 0x1000193), Math.imul(path[1] ^ b, 0x1000197)];
}

const keyOf = (depth, path) =>
	`${depth}.${(path[0] >>> 0).toString(36)}.${(path[1] >>> 0).toString(36)}`;

/* A frame's place in all pictures of the same program. */
function pathKey(view, frame) {
	const list = stackOf(view, frame);
	return keyOf(list.length, list.reduce(mix, [0, 0]));
}

let turns;   // in a chart, for each frame how many of its path were before

/* Which of the frames of its path one is: in a chart there are several. */
function turnOf(frame) {
	if (!cfg.chart)
		return 0;
	if (!turns) {
		const {name, parent} = table, paths = new Map(), seen = [0];
		const path = new Uint32Array(name.length);
		turns = new Uint32Array(name.length);
		for (let i = 1; i < name.length; i++) {
			const key = path[parent[i]] * names.length + name[i];
			if (!paths.has(key))
				paths.set(key, seen.push(0) - 1);
			path[i] = paths.get(key);
			turns[i] = seen[path[i]]++;
		}
	}
	return turns[frame];
}

/* The same of one frame alone: of a chart it has another part. */
function frameKey(view, frame) {
	const turn = view instanceof Tree ? turnOf(frame) : 0;
	return pathKey(view, frame) + (turn > 0 ? '.' + turn : '');
}

/* Whether a frame stands for all, or for a thread, and is no function. */
const isRoot = (view, frame) => view.nameOf(frame) === names.length - 1;

function stackOf(view, frame) {
	const list = [];
	for (let f = frame; view.parentOf(f) !== null; f = view.parentOf(f)) {
		if (!isRoot(view, f))
			list.push(view.nameOf(f));
	}
	return list.reverse();
}

/* The frames of a Tree that some keys mean. */
function findKeys(tree, keys) {
	const want = new Set(keys), found = [], path = [[0, 0]];
	const deepest = Math.max(0, ...keys.map((key) => parseInt(key, 10) || 0));
	for (let i = 1; i < tree.name.length;) {
		const d = tree.depth[i];
		path[d] = mix(path[d - 1], tree.name[i]);
		if (want.has(keyOf(d, path[d])))
			found.push(i);
		i = d >= deepest ? tree.end[i] : i + 1;
	}
	return found;
}

/* The same in what is merged from the leaves, of which only that is built. */
function findMerged(merged, key) {
	const {name, parent, depth} = merged.tree, deep = parseInt(key, 10) || 0;
	for (const leaf of merged.start.list) {
		let path = [0, 0], node = merged.top;
		if (depth[leaf] < deep)
			continue;
		for (let i = leaf, d = 0; d < deep; i = parent[i], d++)
			path = mix(path, name[i]);
		if (keyOf(deep, path) !== key)
			continue;
		for (let i = leaf, d = 0; d < deep; i = parent[i], d++)
			node = merged.kidsOf(node).find((kid) => kid.name === name[i]);
		return node;
	}
	return merged.top;
}

const commas = (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/* As printf rounds in the drawing: what is just between, to the even digit. */
function rounded(x, places) {
	const text = x.toFixed(places), exact = x.toFixed(20);
	const between = /^50*$/.test(exact.slice(places - 20));
	return between && /[13579]$/.test(text) ?
		exact.slice(0, places - 20).replace(/\.$/, '') : text;
}

/* A count as the table has it, times ten to the scale; svgtext_count(). */
function amount(value) {
	if (cfg.factor !== 1) {
		const [whole, rest] = rounded(
			Number(value) / 10 ** cfg.scale * cfg.factor, cfg.decimals).split('.');
		return commas(whole) + (rest ? '.' + rest : '');
	}
	const digits = BigInt(value).toString().padStart(cfg.scale + 1, '0');
	const point = digits.length - cfg.scale;
	const rest = digits.slice(point).replace(/0+$/, '');
	return commas(digits.slice(0, point)) + (rest ? '.' + rest : '');
}

const percent = (n, all) => rounded(all > 0 ? 100 * n / all : 0, 2) + '%';
const signed = (n, all) => (n > 0 ? '+' : '') + percent(n, all);

function exactTotal(view, frame) {
	if (!exact || view !== table)
		return Math.round(view.total(frame));
	if (frame === 0)
		return cfg.total ? BigInt(cfg.total) : exact[exact.length - 1];
	return exact[full.end[frame]] - exact[frame];
}

/* What folddiff says of a frame: [place, class, low, high, q], or null. */
function verdictOn(view, frame) {
	const k = view instanceof Tree && view.judged ? view.judged[frame] : 0;
	return k > 0 ? cfg.verdicts[k - 1] : null;
}

/* Whether a difference is among the largest, but not beyond noise. */
const isWeak = (verdict) => verdict[1] === 'larger' || verdict[1] === 'smaller';

/* By how much a frame changed, by itself or in all. */
function changeOf(view, frame) {
	/* Of what is merged from leaves, totals are counts of the leaf's own. */
	const by = state.diff === 'self' && !callsParent(view, frame) ?
		view.selfOf(frame) - view.selfBefore(frame) :
		view.total(frame) - view.totalBefore(frame);
	/* A ghost has the counts before in the place of those after. */
	return !!cfg.negate !== state.ghost ? -by : by;
}

/* What of that its colour shows, and its text. */
const seenChange = (view, frame) =>
	(state.diff === 'judged' && !verdictOn(view, frame) ? 0 : changeOf(view, frame));

/* A chart has rows that are no functions. */
const textOf = (view, frame) => (view instanceof Chart ? view.textOf(frame) : shown(view.nameOf(frame)));

/* "name (12 samples, 3.45%)": what a frame is called everywhere, with its change or ratio. */
function titleOf(view, frame) {
	if (view instanceof Chart)
		return view.titleOf(frame);
	const share = view.parentOf(frame) === null && view !== sandwich() ?
		'100%' : percent(view.total(frame), full.all);
	const change = cfg.ratio ? `; ${ratioWords(view, frame)}` : isDiff && share !== '100%' ?
		`; ${signed(changeOf(view, frame), full.all)}` : '';
	return `${shown(view.nameOf(frame))} (${amount(exactTotal(view, frame))} ` +
		`${cfg.unit}, ${share}${change})`;
}
