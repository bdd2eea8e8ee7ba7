/* flame.js - the viewer in a flame graph: draws what is visible of its table. */
(() => {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const PAD = 10;       // beside the frames, px
const NARROW = 1.5;   // below that a frame is a part of a path, px
const SLIVER = 0.5;   // below that it is not drawn alone, px
const SAME = 8;       // of the 17 colours of a diff, the middle one

const root = document.currentScript.closest('svg');
const cfg = JSON.parse(root.dataset.cfg);
const part = (name) => root.querySelector(`[data-fg=${name}]`);
const frames = part('frames');
const alone = root === document.documentElement;
const hasPage = alone || document.documentElement.dataset.foldstack !== undefined;

/* ------------------------------------------------------------ the table */

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Numbers of seven bits a byte, lowest first; svgtable.h has the format. */
class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.pos = 0;
	}

	/* n numbers into out, from place 1 on. */
	column(n, out) {
		const bytes = this.bytes;
		let pos = this.pos;
		for (let i = 1; i <= n; i++) {
			let byte = bytes[pos++], value = byte & 127;
			for (let unit = 128; byte > 127; unit *= 128) {
				byte = bytes[pos++];
				value += (byte & 127) * unit;
			}
			out[i] = value;
		}
		this.pos = pos;
		return out;
	}

	number() {
		return this.column(1, [0, 0])[1];
	}

	/* The same, exactly, however large. */
	bigColumn(n) {
		const out = [0n];
		for (let i = 1; i <= n; i++) {
			let shift = 0n, value = 0n, byte;
			do {
				byte = this.bytes[this.pos++];
				value |= BigInt(byte & 127) << shift;
				shift += 7n;
			} while (byte > 127);
			out.push(value);
		}
		return out;
	}

	names(n) {
		const names = [], decoder = new TextDecoder('utf-8', {ignoreBOM: true});
		let buffer = new Uint8Array(256);
		for (let i = 0; i < n; i++) {
			const same = this.number(), more = this.number();
			while (same + more > buffer.length) {
				const bigger = new Uint8Array(2 * buffer.length);
				bigger.set(buffer);
				buffer = bigger;
			}
			buffer.set(this.bytes.subarray(this.pos, this.pos + more), same);
			this.pos += more;
			names.push(decoder.decode(buffer.subarray(0, same + more)));
		}
		return names;
	}
}

/*
 * A tree in the order of drawing, callers first, left to right.  Frame i is
 * as wide as what lies between at[i] and at[end[i]]; what it has itself is
 * at its left.  Frame 0 is the root.
 */
class Tree {
	constructor(name, parent, depth, self, before, judged) {
		this.name = name;
		this.parent = parent;
		this.depth = depth;
		this.self = self;
		this.before = before;
		this.judged = judged;   // 1 + place in cfg.verdicts, or 0
		this.findEnds();
		this.at = this.sums(self);
		this.old = before && this.sums(before);
		this.all = Math.max(this.at[name.length], range ? 0 : Number(cfg.total || 0));
	}

	findEnds() {
		const {parent} = this, n = parent.length;
		const end = this.end = new Uint32Array(n);
		for (let i = n - 1; i > 0; i--) {
			end[i] = end[i] || i + 1;
			if (end[parent[i]] < end[i])
				end[parent[i]] = end[i];
		}
		end[0] = n;
	}

	sums(column) {
		const n = column.length, sum = new Float64Array(n + 1);
		for (let i = 0; i < n; i++)
			sum[i + 1] = sum[i] + column[i];
		return sum;
	}

	total(i) {
		return i === 0 ? this.all : this.at[this.end[i]] - this.at[i];
	}

	totalBefore(i) {
		return this.old ? this.old[this.end[i]] - this.old[i] : 0;
	}

	selfOf(i) {
		return this.self[i];
	}

	selfBefore(i) {
		return this.before ? this.before[i] : 0;
	}

	nameOf(i) {
		return this.name[i];
	}

	parentOf(i) {
		return i === 0 ? null : this.parent[i];
	}

	depthOf(i) {
		return this.depth[i];
	}

	get top() {
		return 0;
	}

	/*
	 * Call draw(frame, depth, x, width, isCaller) for what is at least min
	 * wide when zoomed in on a frame, all in parts of its width.  Runs of
	 * narrower neighbours are drawn as one.
	 */
	visit(zoom, min, draw) {
		const {at, end, depth, parent} = this;
		const callers = [];
		for (let i = zoom; i !== 0; i = parent[i])
			callers.push(parent[i]);
		for (const i of callers.reverse())
			draw(i, depth[i], 0, 1, true);
		draw(zoom, depth[zoom], 0, 1, false);
		const scale = 1 / this.total(zoom), base = at[zoom];
		let run = -1, runDepth = 0, runX = 0, runEnd = 0;
		for (let i = zoom + 1; i < end[zoom];) {
			const x = (at[i] - base) * scale;
			const x2 = (at[end[i]] - base) * scale;
			if (x2 - x >= min) {
				draw(i, depth[i], x, x2 - x, false);
				i++;
				continue;
			}
			if (run < 0 || runDepth !== depth[i] || runEnd !== x) {
				run = i;
				runDepth = depth[i];
				runX = x;
			}
			runEnd = x2;
			if (runEnd - runX >= min) {
				draw(run, runDepth, runX, runEnd - runX, false);
				run = -1;
			}
			i = end[i];
		}
	}

	/* The frame of a depth at a part of the zoomed frame's width, or null. */
	find(zoom, depth, x) {
		if (depth <= this.depth[zoom]) {
			let i = zoom;
			while (this.depth[i] > depth)
				i = this.parent[i];
			return i;
		}
		const pos = this.at[zoom] + x * this.total(zoom);
		let low = zoom, high = this.end[zoom] - 1;
		while (low < high) {
			const middle = (low + high + 1) >>> 1;
			if (this.at[middle] <= pos)
				low = middle;
			else
				high = middle - 1;
		}
		if (this.depth[low] < depth || pos >= this.at[low + 1])
			return null;
		while (this.depth[low] > depth)
			low = this.parent[low];
		return low;
	}

	/* Weight and number of the topmost frames whose names are marked. */
	matched(zoom, marks) {
		const {at, end, name} = this;
		let sum = 0, count = 0;
		for (let i = zoom; i < end[zoom];) {
			if (marks[name[i]]) {
				sum += at[end[i]] - at[i];
				count += at[end[i]] > at[i];
				i = end[i];
			} else {
				i++;
			}
		}
		return {sum, count};
	}
}

/* ---------------------------------------------------------- other views */

/*
 * A tree made of frames of a Tree with equal names, as far as it is looked
 * at: upwards, what called them, or downwards, what they call.
 */
class Merged {
	constructor(tree, up, name, frames) {
		this.tree = tree;
		this.up = up;
		this.slot = new Int32Array(names.length).fill(-1);
		this.top = this.node(null, name, frames);
		this.all = this.top.total;
	}

	node(parent, name, frames) {
		const sum = (list) => list.reduce((a, b) => a + b, 0);
		return {
			parent, name, frames, kids: null, at: 0,
			depth: parent ? parent.depth + 1 : 0,
			total: sum(frames.weight), before: sum(frames.old),
			self: 0, selfBefore: 0,
		};
	}

	/* One step from a node's frames: callers, or what is called. */
	step(node) {
		const {tree} = this, {frame, weight, old} = node.frames;
		const next = {frame: [], weight: [], old: []};
		const add = (i, w, o) => {
			next.frame.push(i);
			next.weight.push(w);
			next.old.push(o);
		};
		frame.forEach((i, k) => {
			if (this.up) {
				if (tree.parent[i] !== 0)
					add(tree.parent[i], weight[k], old[k]);
				return;
			}
			for (let c = i + 1; c < tree.end[i]; c = tree.end[c])
				add(c, tree.total(c), tree.totalBefore(c));
		});
		return next;
	}

	/* What to begin with is put under the root as it is. */
	first() {
		return this.start;
	}

	kidsOf(node) {
		if (node.kids)
			return node.kids;
		const {name} = this.tree, {slot} = this, groups = [];
		const all = node === this.top && this.start ? this.start : this.step(node);
		all.frame.forEach((i, k) => {
			if (slot[name[i]] < 0) {
				slot[name[i]] = groups.length;
				groups.push({name: name[i], frame: [], weight: [], old: []});
			}
			const group = groups[slot[name[i]]];
			group.frame.push(i);
			group.weight.push(all.weight[k]);
			group.old.push(all.old[k]);
		});
		for (const group of groups)
			slot[group.name] = -1;
		node.kids = groups.map((g) => this.node(node, g.name, g));
		node.kids.sort(state.order === 'weight' ?
			(a, b) => b.total - a.total || a.name - b.name :
			(a, b) => a.name - b.name);
		this.place(node);
		return node.kids;
	}

	place(node) {
		let kids = 0, before = 0;
		for (const kid of node.kids) {
			kids += kid.total;
			before += kid.before;
		}
		node.self = Math.max(0, node.total - kids);
		node.selfBefore = Math.max(0, node.before - before);
		let at = node.at + node.self;
		for (const kid of node.kids) {
			kid.at = at;
			at += kid.total;
		}
	}

	total(node) {
		return node.total;
	}

	totalBefore(node) {
		return node.before;
	}

	selfOf(node) {
		this.kidsOf(node);
		return node.self;
	}

	selfBefore(node) {
		this.kidsOf(node);
		return node.selfBefore;
	}

	nameOf(node) {
		return node.name;
	}

	parentOf(node) {
		return node.parent;
	}

	depthOf(node) {
		return node.depth;
	}

	visit(zoom, min, draw) {
		const callers = [];
		for (let a = zoom.parent; a; a = a.parent)
			callers.push(a);
		for (const a of callers.reverse())
			draw(a, a.depth, 0, 1, true);
		const todo = [zoom], all = zoom.total || 1;
		while (todo.length > 0) {
			const node = todo.pop();
			draw(node, node.depth, (node.at - zoom.at) / all,
				node === zoom ? 1 : node.total / all, false);
			const kids = this.kidsOf(node);
			for (let k = kids.length - 1; k >= 0; k--) {
				if (kids[k].total / all >= min)
					todo.push(kids[k]);
			}
		}
	}

	find(zoom, depth, x) {
		let node = zoom;
		while (node.depth > depth)
			node = node.parent;
		const pos = zoom.at + x * zoom.total;
		while (node && node.depth < depth)
			node = this.kidsOf(node).find((k) =>
				pos >= k.at && pos < k.at + k.total);
		return node || null;
	}

	matched(zoom, marks) {
		const todo = [zoom];
		let sum = 0, count = 0;
		while (todo.length > 0) {
			const node = todo.pop();
			if (marks[node.name]) {
				sum += node.total;
				count++;
			} else if (node.total > 0) {
				for (const kid of this.kidsOf(node))
					todo.push(kid);
			}
		}
		return {sum, count};
	}
}

/* From the leaves: every frame with a weight of its own begins a stack. */
function reversedTree(tree) {
	const start = {frame: [], weight: [], old: []};
	for (let i = 1; i < tree.self.length; i++) {
		if (tree.self[i] > 0 || tree.selfBefore(i) > 0) {
			start.frame.push(i);
			start.weight.push(tree.self[i]);
			start.old.push(tree.selfBefore(i));
		}
	}
	const merged = new Merged(tree, true, names.length - 1, start);
	merged.start = start;
	return merged;
}

/* All topmost frames of a function. */
function placesOf(tree, name) {
	const places = {frame: [], weight: [], old: []}, base = baseOf(name);
	for (let i = 1; i < tree.name.length;) {
		if (bases[tree.name[i]] === base) {
			places.frame.push(i);
			places.weight.push(tree.total(i));
			places.old.push(tree.totalBefore(i));
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return places;
}

/* What a function calls, away from the root, and who calls it, below it. */
class Sandwich {
	constructor(tree, name) {
		const places = placesOf(tree, name);
		this.down = new Merged(tree, false, name, places);
		this.callers = new Merged(tree, true, name, places);
		this.top = this.down.top;
		this.all = this.top.total;
		this.name = name;
	}

	side(node) {
		let a = node;
		while (a.parent)
			a = a.parent;
		return a === this.top ? this.down : this.callers;
	}

	total(node) {
		return node.total;
	}

	totalBefore(node) {
		return node.before;
	}

	selfOf(node) {
		return this.side(node).selfOf(node);
	}

	selfBefore(node) {
		return this.side(node).selfBefore(node);
	}

	nameOf(node) {
		return node.name;
	}

	parentOf(node) {
		return node.parent === this.callers.top ? this.top : node.parent;
	}

	depthOf(node) {
		return this.side(node) === this.down ? node.depth : -node.depth;
	}

	visit(zoom, min, draw) {
		this.down.visit(this.top, min, draw);
		this.callers.visit(this.callers.top, min, (node, depth, x, w) => {
			if (depth > 0)
				draw(node, -depth, x, w, false);
		});
	}

	find(zoom, depth, x) {
		return depth < 0 ? this.callers.find(this.callers.top, -depth, x) :
			this.down.find(this.top, depth, x);
	}

	matched(zoom, marks) {
		return this.down.matched(this.down.top, marks);
	}
}

/* -------------------------------------------------- names, numbers, hash */

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
	const tree = new Tree(name, parent, depth, self, before, judged);
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

function stackOf(view, frame) {
	const list = [];
	for (let f = frame; view.parentOf(f) !== null; f = view.parentOf(f))
		list.push(view.nameOf(f));
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

/* The same in a merged tree, of which only what is asked for is built. */
function findMerged(merged, key) {
	const deepest = parseInt(key, 10) || 0, todo = [[merged.top, [0, 0]]];
	while (todo.length > 0) {
		const [node, path] = todo.pop();
		if (node.depth > 0 && keyOf(node.depth, path) === key)
			return node;
		if (node.depth < deepest && node.total > merged.all / 1e4) {
			for (const kid of merged.kidsOf(node))
				todo.push([kid, mix(path, kid.name)]);
		}
	}
	return merged.top;
}

const commas = (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/* A count as the table has it, times ten to the scale; svgtext_count(). */
function amount(value) {
	if (cfg.factor !== 1) {
		const [whole, rest] = (Number(value) / 10 ** cfg.scale * cfg.factor)
			.toFixed(cfg.decimals).split('.');
		return commas(whole) + (rest ? '.' + rest : '');
	}
	const digits = BigInt(value).toString().padStart(cfg.scale + 1, '0');
	const point = digits.length - cfg.scale;
	const rest = digits.slice(point).replace(/0+$/, '');
	return commas(digits.slice(0, point)) + (rest ? '.' + rest : '');
}

const percent = (n, all) => (all > 0 ? 100 * n / all : 0).toFixed(2) + '%';
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

/* What the colour of a diff shows. */
function changeOf(view, frame) {
	if (state.diff === 'judged' && !verdictOn(view, frame))
		return 0;
	const by = state.diff === 'self' ?
		view.selfOf(frame) - view.selfBefore(frame) :
		view.total(frame) - view.totalBefore(frame);
	/* A ghost has the counts before in the place of those after. */
	return !!cfg.negate !== state.ghost ? -by : by;
}

/* "name (12 samples, 3.45%)": what a frame is called everywhere. */
function titleOf(view, frame) {
	const share = view.parentOf(frame) === null && view !== sandwich() ?
		'100%' : percent(view.total(frame), full.all);
	const change = isDiff && share !== '100%' ?
		`; ${signed(changeOf(view, frame), full.all)}` : '';
	return `${shown(view.nameOf(frame))} (${amount(exactTotal(view, frame))} ` +
		`${cfg.unit}, ${share}${change})`;
}

/* ---------------------------------------------------------------- labels */

const cellsOf = (char) => (char.codePointAt(0) < 0x500 ? 1 : 2);

function widthOf(text) {
	let n = 0;
	for (const char of text)
		n += cellsOf(char);
	return n;
}

function head(text, cells) {
	let n = 0, end = 0;
	for (const char of text) {
		n += cellsOf(char);
		if (n > cells)
			break;
		end += char.length;
	}
	return text.slice(0, end);
}

/* Where the last part of a path or a C++ name begins, or 0. */
function lastPart(text) {
	for (let i = text.length - 1; i > 1; i--) {
		if (text[i] === '/')
			return i;
		if (text[i] === ':' && text[i - 1] === ':')
			return i - 1;
		if (text[i] === '>' || text[i] === ')')
			return 0;
	}
	return 0;
}

/* As svgtext_label(): the middle goes, where there is one. */
function fit(text, cells) {
	if (cells < 3)
		return '';
	if (widthOf(text) <= cells)
		return text;
	const cut = lastPart(text), tail = text.slice(cut);
	const room = cells - widthOf(tail) - 1;
	if (cut > 0 && room >= 0)
		return head(text.slice(0, cut), room) + '…' + tail;
	if (cut > 0 && cells > 6)
		return '…' + head(tail, cells - 2) + '…';
	return head(text, cells - 1) + '…';
}

/* --------------------------------------------------------------- drawing */

const state = {
	zoom: null, search: '', inverted: !!cfg.inverted, reversed: false,
	order: 'name', hidden: [], focus: null, diff: cfg.diff, ghost: false,
};
const colours = cfg.colours.split(' ');
const isDiff = cfg.counts === 2;
const links = new Map((cfg.attr || []).map((a) => [a[0], a]));

let full;              // the whole Tree, ordered, without what is hidden
let view;              // what is drawn: full, or one of the other views
let marks = null;      // for each name, whether the search found it
let range = null;      // of a heat map: what its samples add to each frame
let heat = null;       // that heat map
let maxChange = 0;
let edition = 1;       // of the titles: they change when the tree does
let width = cfg.drawn;
let rowsAtTop = cfg.rows, rows = cfg.rows, lowest = 0;
let live = new Map();  // frame -> its element
let pool = [];
let current = null;    // the frame that has, or would get, the focus
let hovered = null;    // the frame under the pointer
let boxes = [];        // what is drawn, for the keys

const inner = () => Math.max(1, width - 2 * PAD);
const sandwich = () => (view instanceof Sandwich ? view : null);

function make(tag, attributes, parent, text) {
	const element = document.createElementNS(SVG, tag);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (text !== undefined)
		element.textContent = text;
	if (parent)
		parent.append(element);
	return element;
}

function diffStep(change) {
	if (change === 0 || maxChange <= 0)
		return SAME;
	const steps = Math.ceil(SAME * Math.sqrt(Math.abs(change) / maxChange));
	return SAME + Math.sign(change) * Math.min(SAME, Math.max(1, steps));
}

function colourOf(frame) {
	const name = view.nameOf(frame);
	if (name === names.length - 1)
		return cfg.root;
	return isDiff ? diffStep(changeOf(view, frame)) : shades[name];
}

function findMaxChange() {
	maxChange = 0;
	if (!isDiff)
		return;
	for (let i = 1; i < full.name.length; i++)
		maxChange = Math.max(maxChange, Math.abs(changeOf(full, i)));
}

const rowTop = (depth) => (state.inverted ? depth * cfg.row :
	-(depth + 1) * cfg.row);

/* All that is to be seen of a frame, as strings. */
function lookOf(frame, depth, x, w, isCaller) {
	const colour = colourOf(frame), value = colours[colour] || 'c5c7cb';
	const name = view.nameOf(frame);
	const pad = 3 / (cfg.drawn - 2 * PAD) * inner();
	const cells = Math.floor((w * inner() - 2 * pad) / cfg.cell);
	let by = isDiff && view.parentOf(frame) !== null ? shortChange(frame) : '';
	if (cells < by.length + 4)
		by = '';
	const label = fit(shown(name), by ? cells - by.length - 1 : cells);
	let look = 'c' + colour;
	if (isCaller)
		look += ' fade';
	if (marks && marks[name])
		look += ' hit';
	if (isDiff && (view.totalBefore(frame) === 0 || view.total(frame) === 0))
		look += ' one';
	return {
		look, label, by, fill: '#' + value.slice(0, 6),
		ink: value.length > 6 ? '#fff' : '',
		x: +(100 * x).toFixed(4) + '%', w: +(100 * w).toFixed(4) + '%',
		y: rowTop(depth),
		tx: +(100 * (x + 3 / (cfg.drawn - 2 * PAD))).toFixed(3) + '%',
		ty: +(rowTop(depth) + cfg.row / 2 + cfg.font * 0.33).toFixed(1),
		bx: +(100 * (x + w - 3 / (cfg.drawn - 2 * PAD))).toFixed(3) + '%',
	};
}

/* A change as it is written into a frame: "+3.2%", or nothing. */
function shortChange(frame) {
	const by = 100 * changeOf(view, frame) / full.all;
	return Math.abs(by) < 0.05 ? '' : (by > 0 ? '+' : '') + by.toFixed(1) + '%';
}

function linkOf(frame) {
	const link = links.get(view.nameOf(frame));
	return link && link[2] ? link : null;
}

/* An element for a frame, an old one if there is one to spare. */
function newElement(frame) {
	const link = linkOf(frame);
	if (!link && pool.length > 0)
		return Object.assign(pool.pop(), {edition: 0});
	const g = make(link ? 'a' : 'g', link ?
		{href: link[2], target: link[3] || '_top', rel: 'noopener'} : {});
	const title = make('title', {}, g);
	const rect = make('rect', {height: Math.max(1, cfg.row - 1)}, g);
	return {g, title, rect, text: null, by: null, now: {}, edition: 0};
}

/* One of an element's lines of text: its name, or in a diff its change. */
function setText(element, which, content, x, y, ink) {
	let text = element[which];
	if (content === '') {
		if (text)
			text.g.remove();
		element[which] = null;
		return;
	}
	if (!text) {
		text = element[which] = {g: make('text', {}, element.g)};
		if (which === 'by')
			text.g.setAttribute('text-anchor', 'end');
	}
	if (text.x !== x)
		text.g.setAttribute('x', text.x = x);
	if (text.y !== y)
		text.g.setAttribute('y', text.y = y);
	if (text.content !== content)
		text.g.textContent = text.content = content;
	if ((text.ink || '') !== ink) {
		text.ink = ink;
		if (ink)
			text.g.setAttribute('fill', ink);
		else
			text.g.removeAttribute('fill');
	}
}

/* Bring an element up to date; only what differs touches the document. */
function show(element, frame, look) {
	const {now, rect} = element;
	if (now.look !== look.look)
		element.g.setAttribute('class', now.look = look.look);
	if (element.edition !== edition) {
		const link = links.get(view.nameOf(frame));
		element.title.textContent = link && link[1] || titleOf(view, frame);
		element.edition = edition;
	}
	if (now.x !== look.x)
		rect.setAttribute('x', now.x = look.x);
	if (now.w !== look.w)
		rect.setAttribute('width', now.w = look.w);
	if (now.y !== look.y)
		rect.setAttribute('y', now.y = look.y);
	if (now.fill !== look.fill)
		rect.setAttribute('fill', now.fill = look.fill);
	setText(element, 'text', look.label, look.tx, look.ty, look.ink);
	setText(element, 'by', look.by, look.bx, look.ty, look.ink);
}

/*
 * Take over what is drawn already, which is what svgdraw.c found wide enough
 * at the width it drew for.
 */
function adopt() {
	const elements = frames.querySelectorAll(':scope > g:not([data-fg]), :scope > a');
	const found = [], want = inner();
	const all = view.all, narrow = all * cfg.min / want;
	view.visit(view.top, 0.5 * cfg.min / want, (frame, depth, x, w, isCaller) => {
		const count = view.total(frame);
		if (frame === 0 || (count >= narrow && count / all * want >= NARROW))
			found.push([frame, depth, x, w, isCaller]);
	});
	if (found.length !== elements.length) {
		elements.forEach((g) => g.remove());
		return;
	}
	found.forEach(([frame, ...place], i) => {
		const g = elements[i], look = lookOf(frame, ...place);
		const [text, by] = g.querySelectorAll('text');
		const old = (line, x) => line ?
			{g: line, content: line.textContent, x, y: look.ty, ink: look.ink} : null;
		live.set(frame, {
			g, title: g.firstChild, rect: g.querySelector('rect'), now: look, edition,
			text: old(text, look.tx), by: old(by, look.bx),
		});
		elementOf.set(g, frame);
	});
}

const elementOf = new WeakMap();

/* One path for the slivers of a row and a colour. */
class Slivers {
	constructor() {
		this.paths = new Map();
	}

	add(frame, depth, x, w) {
		const hit = marks && marks[view.nameOf(frame)];
		const look = 'c' + colourOf(frame) + (hit ? ' hit' : '');
		const key = depth + ' ' + look;
		const px = x * inner(), wide = (w * inner()).toFixed(2);
		const d = `M${px.toFixed(2)} ${rowTop(depth)}h${wide}` +
			`v${Math.max(1, cfg.row - 1)}h-${wide}z`;
		const path = this.paths.get(key);
		if (path)
			path.d.push(d);
		else
			this.paths.set(key, {look, colour: colourOf(frame), d: [d]});
	}

	draw() {
		const g = part('slivers') ||
			make('g', {'data-fg': 'slivers', 'aria-hidden': 'true'}, frames);
		const list = [...this.paths.values()].map((path) => make('path', {
			'class': path.look, d: path.d.join(''),
			fill: '#' + (colours[path.colour] || 'c5c7cb').slice(0, 6),
		}));
		g.replaceChildren(...list);
		frames.append(g);
	}
}

function release(element) {
	element.g.remove();
	element.g.removeAttribute('tabindex');
	if (element.g.localName === 'g')
		pool.push(element);
}

/* What is to be drawn, of the view as it is zoomed. */
function collect() {
	const slivers = new Slivers();
	boxes = [];
	rows = 1;
	lowest = 0;
	view.visit(zoomed(), SLIVER / inner(), (frame, depth, x, w, isCaller) => {
		rows = Math.max(rows, depth + 1);
		lowest = Math.min(lowest, depth);
		if (w * inner() < NARROW && frame !== view.top)
			slivers.add(frame, depth, x, w);
		else
			boxes.push({frame, depth, x, w, isCaller});
	});
	return slivers;
}

/* Elements that are there stay; those of frames that went are used again. */
function draw() {
	const old = live, slivers = collect();
	live = new Map();
	for (const {frame} of boxes) {
		live.set(frame, old.get(frame));
		old.delete(frame);
	}
	old.forEach(release);
	let next = frames.firstElementChild;
	for (const box of boxes) {
		let element = live.get(box.frame);
		if (!element) {
			element = newElement(box.frame);
			live.set(box.frame, element);
			elementOf.set(element.g, box.frame);
		}
		show(element, box.frame, lookOf(box.frame, box.depth, box.x, box.w, box.isCaller));
		if (element.g === next)
			next = next.nextElementSibling;
		else
			frames.insertBefore(element.g, next);
	}
	slivers.draw();
	pool.length = Math.min(pool.length, 2000);
	keepFocus();
	layOut();
}

const zoomed = () => (state.zoom === null ? view.top : state.zoom);

/* ---------------------------------------------------------------- layout */

const ui = {};

function button(id, text, action, parent) {
	const element = make('text', {
		id, 'data-fg': id, role: 'button', tabindex: 0, 'class': 'link',
		'font-size': 12,
	}, parent, text);
	element.addEventListener('click', action);
	element.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' || event.key === ' ') {
			event.preventDefault();
			event.stopPropagation();
			action();
		}
	});
	return element;
}

function makeControls() {
	ui.controls = make('g', {'data-fg': 'controls'}, root);
	ui.reset = button('reset', 'Reset view', resetView, ui.controls);
	ui.reset.id = 'unzoom';
	ui.keys = button('keys', '? keys', toggleHelp, ui.controls);
	ui.box = make('foreignObject', {width: 180, height: 26}, ui.controls);
	ui.query = document.createElementNS(HTML, 'input');
	for (const [key, value] of Object.entries({
		'type': 'search', 'data-fg': 'query', placeholder: 'Search (regex)',
		'aria-label': 'Search names by regular expression', spellcheck: 'false',
		autocomplete: 'off',
	}))
		ui.query.setAttribute(key, value);
	ui.box.append(ui.query);
	ui.foot = make('g', {'data-fg': 'foot'}, ui.controls);
	ui.bar = make('g', {}, ui.foot);
	ui.back = make('rect', {'class': 'bar', fill: part('page').getAttribute('fill')}, ui.bar);
	ui.edge = make('rect', {'class': 'edge', height: 1, fill: '#bbb'}, ui.bar);
	const lines = {role: 'status', 'aria-live': 'polite'};
	ui.details = make('text', Object.assign({id: 'details', 'data-fg': 'details', x: PAD}, lines), ui.foot);
	ui.line1 = make('tspan', {}, ui.details);
	ui.line2 = make('tspan', {'class': 'pale'}, ui.details);
	ui.matched = make('text', {id: 'matched', 'data-fg': 'matched', 'text-anchor': 'end'}, ui.foot);
}

/* Shorten a line of text until it fits; its title has all of it. */
function fitLine(element, room) {
	if (!element)
		return;
	const all = element.dataset.all || element.textContent;
	const size = Number(element.getAttribute('font-size'));
	element.dataset.all = all;
	if (element.textContent !== all)
		element.textContent = all;
	/* To measure means layout, which is not needed for short lines. */
	if (widthOf(all) * size * 0.7 < room)
		return;
	const wide = element.getComputedTextLength();
	if (wide > room && all.length > 0) {
		const keep = Math.max(1, Math.floor(all.length * room / wide) - 1);
		element.textContent = all.slice(0, keep) + '…';
	}
}

function layOut() {
	const narrow = width < 760, line = cfg.font * 1.35;
	const zoomedIn = state.zoom !== null || sandwich() || range || state.hidden.length > 0;
	const top = cfg.top + (narrow ? 34 : 0);
	const down = sandwich() ? rows : Math.max(rows, rowsAtTop);
	const height = (down - lowest) * cfg.row;
	const total = Math.ceil(top + height + cfg.foot);
	const base = state.inverted ? top - lowest * cfg.row :
		top + down * cfg.row;

	const tall = Math.max(total, ui.help ? ui.helpEnd : 0);
	root.setAttribute('viewBox', `0 0 ${width} ${tall}`);
	root.setAttribute('height', tall);
	root.setAttribute('width', width);
	frames.setAttribute('y', base);
	frames.setAttribute('width', inner());
	frames.setAttribute('height', height);
	const y = narrow ? cfg.top - 4 : 8;
	const box = narrow ? Math.max(30, Math.min(180, width - 210)) : 180;
	for (const [key, value] of Object.entries({x: width - PAD - box, y, width: box}))
		ui.box.setAttribute(key, value);
	ui.reset.setAttribute('x', PAD);
	ui.keys.setAttribute('x', narrow ? width - PAD - box - 52 : PAD + (zoomedIn ? 84 : 0));
	ui.reset.setAttribute('y', y + 17);
	ui.keys.setAttribute('y', y + 17);
	ui.reset.style.display = zoomedIn ? '' : 'none';
	ui.matched.setAttribute('x', width - PAD);
	ui.matched.setAttribute('y', line * 2 + 4);
	ui.line1.setAttribute('x', PAD);
	ui.line1.setAttribute('y', line + 3);
	ui.line2.setAttribute('x', PAD);
	ui.line2.setAttribute('y', line * 2 + 4);
	ui.back.setAttribute('width', width);
	ui.back.setAttribute('height', cfg.foot);
	ui.edge.setAttribute('width', width);
	ui.total = total;
	if (heat && ui.fitted !== width)
		heat.resize(inner());
	if (ui.fitted !== width) {
		const room = width - (narrow ? 2 * PAD : 420);
		for (const id of ['title', 'subtitle', 'about'])
			fitLine(part(id), id === 'title' ? room : width - 2 * PAD);
		ui.fitted = width;
	}
	/* To ask where the picture is means layout; once a frame is enough. */
	cancelAnimationFrame(ui.placing);
	ui.placing = requestAnimationFrame(placeFoot);
}

/* The details stay in sight when the picture is taller than the window. */
function placeFoot() {
	const box = root.getBoundingClientRect();
	const scale = box.width > 0 ? box.width / width : 1;
	const seen = (window.innerHeight - box.top) / scale;
	const y = Math.min(ui.total, Math.max(seen, cfg.top + 3 * cfg.row)) - cfg.foot;
	ui.foot.setAttribute('transform', `translate(0 ${y.toFixed(1)})`);
	ui.floats = y < ui.total - cfg.foot - 1;
	showBar();
}

/* The bar behind the details is only there where it has to be. */
function showBar() {
	const empty = ui.line1.textContent === '' && ui.line2.textContent === '' &&
		ui.matched.textContent === '';
	ui.bar.style.display = ui.floats && !empty ? '' : 'none';
}

/*
 * How wide the picture can be.  At first the window's width is taken, as to
 * ask for the picture's own means layout; listen() corrects it by a scroll bar.
 */
function measure(first) {
	if (cfg.width > 0)
		return cfg.width;
	root.style.width = '100%';
	const wide = first && alone ? window.innerWidth : root.getBoundingClientRect().width;
	return Math.max(240, Math.round(wide)) || cfg.drawn;
}

/* --------------------------------------------------------------- details */

/* A 95 % interval for a share (Wilson), in per cent. */
function interval(share, n) {
	const z = 1.96, z2 = z * z;
	const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	const half = z / (1 + z2 / n) *
		Math.sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	const show = (x) => (100 * Math.min(1, Math.max(0, x))).toFixed(2);
	return `95%: ${show(middle - half)}–${show(middle + half)}%`;
}

let lastFunction = {name: -1};

/* A function's share of all, wherever it is; recursion counts once. */
function functionTotal(name) {
	if (lastFunction.name !== baseOf(name) || lastFunction.tree !== full) {
		const base = baseOf(name), {at, end} = full;
		let sum = 0, places = 0;
		for (let i = 1; i < end[0];) {
			if (bases[full.name[i]] === base) {
				sum += at[end[i]] - at[i];
				places += !range || at[end[i]] > at[i];
				i = end[i];
			} else {
				i++;
			}
		}
		lastFunction = {name: base, tree: full, sum, places};
	}
	return lastFunction;
}

function moreAbout(frame) {
	const parent = view.parentOf(frame), total = view.total(frame);
	const list = [];
	if (isDiff)
		list.push(`${state.ghost ? 'after' : 'before'} ${amount(view.totalBefore(frame))} ` +
			`${cfg.unit}, change ` +
			signed((total - view.totalBefore(frame)) * (state.ghost ? -1 : 1), full.all));
	const verdict = isDiff && verdictOn(view, frame);
	if (verdict)
		list.push(`${verdict[1]}: ratio ${verdict[2]}–${verdict[3]}, q ${verdict[4]}`);
	list.push(`self ${percent(view.selfOf(frame), full.all)}`);
	if (parent !== null && view.total(parent) > 0) {
		list.push(`${percent(total, view.total(parent))} of caller`);
		const f = functionTotal(view.nameOf(frame));
		list.push(`in all stacks ${percent(f.sum, full.all)}` +
			` in ${f.places} place${f.places === 1 ? '' : 's'}`);
	}
	const n = range ? range.samples : cfg.samples;
	if (n)
		list.push(interval(total / full.all, n));
	return list.join(' · ');
}

function describe(frame) {
	if (frame === null) {
		ui.line1.textContent = ui.line2.textContent = '';
		showBar();
		return;
	}
	const room = Math.floor((width - 2 * PAD) / cfg.cell);
	const title = `${cfg.type} ${titleOf(view, frame)}`;
	const tail = title.slice(title.lastIndexOf(' ('));
	const head = title.slice(0, title.length - tail.length);
	ui.line1.textContent = widthOf(title) <= room ? title :
		fit(head, Math.max(3, room - tail.length)) + tail;
	const left = marks ? room - 24 : room;
	ui.line2.textContent = fit(moreAbout(frame), left);
	showBar();
}

function say(text) {
	ui.line2.textContent = text;
	showBar();
}

/* ---------------------------------------------------------------- search */

function compile(text) {
	try {
		return new RegExp(text, /\p{Lu}/u.test(text) ? '' : 'i');
	} catch (error) {
		return null;
	}
}

function search(text) {
	state.search = text;
	const regex = text === '' ? null : compile(text);
	marks = regex && new Uint8Array(names.length);
	if (regex) {
		for (let i = 0; i < names.length - 1; i++)
			marks[i] = regex.test(names[i].replace(SUFFIX, '')) ? 1 : 0;
	}
	ui.query.setAttribute('aria-invalid', text !== '' && !regex);
}

function showMatched() {
	if (!marks) {
		ui.matched.textContent = state.search === '' ? '' : 'no regular expression';
		return;
	}
	const {sum, count} = view.matched(zoomed(), marks);
	ui.matched.textContent = `Matched: ${percent(sum, view.total(zoomed()))} (${count})`;
}

/* The next or last frame that the search found, in the order of drawing. */
function nextMatch(step) {
	const stay = document.activeElement === ui.query;
	if (!marks || !(view instanceof Tree))
		return;
	const n = full.name.length, start = zoomed();
	let i = typeof current === 'number' ? current : start;
	for (let k = 0; k < n; k++) {
		i = (i + step + n) % n;
		if (i >= start && i < full.end[start] && marks[full.name[i]] && full.total(i) > 0) {
			reveal(i);
			if (stay)
				ui.query.focus({preventScroll: true});
			return;
		}
	}
}

/* Zoom out from a frame as far as it can still be seen, and go there. */
function reveal(frame) {
	ui.match = frame;
	if (!live.has(frame)) {
		let zoom = frame;
		while (zoom !== 0 && full.total(frame) / full.total(full.parent[zoom]) * inner() >= 20)
			zoom = full.parent[zoom];
		state.zoom = zoom === 0 ? null : zoom;
		update();
	}
	focusOn(frame);
}

/* ----------------------------------------------------------------- views */

let table;   // as it came

function childrenOf(tree) {
	const {parent} = tree, n = parent.length;
	const first = new Uint32Array(n + 1), list = new Uint32Array(n);
	for (let i = 1; i < n; i++)
		first[parent[i] + 1]++;
	for (let i = 0; i < n; i++)
		first[i + 1] += first[i];
	const next = first.slice();
	for (let i = 1; i < n; i++)
		list[next[parent[i]]++] = i;
	return {first, list};
}

/* A tree with its siblings in another order. */
function reorder(tree, sort) {
	const {first, list} = childrenOf(tree), n = tree.name.length;
	for (let i = 0; i < n; i++) {
		if (first[i + 1] - first[i] > 1)
			sort(list.subarray(first[i], first[i + 1]), i);
	}
	const order = new Uint32Array(n), todo = [0];
	for (let k = 0; todo.length > 0; k++) {
		const i = todo.pop();
		order[k] = i;
		for (let c = first[i + 1] - 1; c >= first[i]; c--)
			todo.push(list[c]);
	}
	const place = new Uint32Array(n);
	order.forEach((i, k) => {
		place[i] = k;
	});
	const pick = (column) => column && column.constructor.from(order, (i) => column[i]);
	return new Tree(pick(tree.name), Uint32Array.from(order, (i) => place[tree.parent[i]]),
		pick(tree.depth), pick(tree.self), pick(tree.before), pick(tree.judged));
}

/* The order of the input: how many to the left of each came later. */
function inputOrder(tree) {
	const reader = new Reader(later.bytes);
	reader.pos = later.pos;
	return reorder(tree, (kids) => {
		const sorted = [];
		kids.forEach((kid, k) => sorted.splice(k - reader.number(), 0, kid));
		kids.set(sorted);
	});
}

function withoutHidden(tree) {
	if (state.hidden.length === 0)
		return tree;
	const self = tree.self.slice(), before = tree.before && tree.before.slice();
	for (const i of findKeys(tree, state.hidden)) {
		self.fill(0, i, tree.end[i]);
		if (before)
			before.fill(0, i, tree.end[i]);
	}
	return new Tree(tree.name, tree.parent, tree.depth, self, before, tree.judged);
}

/* Make full and view anew after order, hidden or the kind of view changed. */
function rebuild() {
	full = table;
	if (range)
		full = new Tree(full.name, full.parent, full.depth, range.self, null, null);
	if (state.ghost)
		full = new Tree(full.name, full.parent, full.depth, full.before, full.self, full.judged);
	if (state.order === 'weight')
		full = reorder(full, (kids, i) => kids.sort((a, b) => full.total(b) - full.total(a)));
	else if (state.order === 'input' && later)
		full = inputOrder(full);
	full = withoutHidden(full);
	view = full;
	if (state.focus !== null)
		view = new Sandwich(full, state.focus);
	else if (state.reversed)
		view = reversedTree(full);
	live.forEach(release);
	live = new Map();
	current = hovered = null;
	edition++;
	findMaxChange();
}

/* Change the kind of view, and find the zoomed frame in it again. */
function change(what) {
	const key = state.zoom === null ? null : pathKey(view, state.zoom);
	const same = !('reversed' in what) && !('focus' in what);
	Object.assign(state, what);
	state.zoom = null;
	rebuild();
	if (key !== null && same)
		state.zoom = findZoom(key);
	/* In a range there may be nothing of it. */
	while (state.zoom !== null && view.total(state.zoom) === 0)
		state.zoom = view.parentOf(state.zoom) || null;
	rowsAtTop = 1;
	update();
	describe(sandwich() ? view.top : null);
}

function findZoom(key) {
	if (view instanceof Tree)
		return findKeys(view, [key])[0] || null;
	if (view instanceof Merged) {
		const node = findMerged(view, key);
		return node === view.top ? null : node;
	}
	return null;
}

function zoomTo(frame) {
	if (sandwich()) {
		change({focus: view.nameOf(frame)});
		return;
	}
	state.zoom = frame === view.top ? null : frame;
	ui.match = null;
	current = frame;
	update();
	describe(frame);
}

function resetView() {
	ui.match = null;
	if (state.hidden.length > 0 || state.focus !== null) {
		change({hidden: [], focus: null, zoom: null});
		if (state.zoom !== null) {
			state.zoom = null;
			update();
		}
		return;
	}
	if (range && state.zoom === null)
		heat.clear();
	state.zoom = null;
	update();
}

/* Show only the samples of a range, or all for null. */
function setRange(chosen) {
	range = chosen;
	change({});
}

function update() {
	draw();
	if (state.zoom === null && !sandwich())
		rowsAtTop = rows;
	showMatched();
	/* The address can wait until the picture is seen. */
	cancelAnimationFrame(ui.saving);
	ui.saving = requestAnimationFrame(() => setTimeout(saveState));
}

/* ----------------------------------------------------------------- state */

function saveState() {
	if (!hasPage)
		return;
	const list = [];
	const put = (key, value) => value && list.push(`${key}=${encodeURIComponent(value)}`);
	put('z', state.zoom !== null && pathKey(view, state.zoom));
	put('s', state.search);
	put('i', state.inverted !== !!cfg.inverted && '1');
	put('r', state.reversed && '1');
	put('o', state.order !== 'name' && state.order);
	put('x', state.hidden.join('_'));
	put('f', state.focus !== null && names[state.focus]);
	put('d', isDiff && state.diff !== cfg.diff && state.diff);
	put('g', state.ghost && '1');
	put('t', heat && heat.state);
	const hash = list.length > 0 ? '#' + list.join('&') : location.pathname + location.search;
	try {
		if (location.hash !== hash && (list.length > 0 || location.hash !== ''))
			history.replaceState(null, '', hash);
	} catch (error) {
		/* a sandbox: the state is not kept */
	}
}

function loadState() {
	const get = new Map(!hasPage ? [] : location.hash.slice(1).split('&').map((item) => {
		const [key, ...value] = item.split('=');
		try {
			return [key, decodeURIComponent(value.join('='))];
		} catch (error) {
			return [key, ''];
		}
	}));
	const focus = get.has('f') ? names.indexOf(get.get('f')) : -1;
	state.inverted = !!cfg.inverted !== (get.get('i') === '1');
	state.reversed = get.get('r') === '1';
	state.order = ['weight', 'input'].includes(get.get('o')) ? get.get('o') : 'name';
	state.hidden = (get.get('x') || '').split('_').filter(Boolean);
	state.focus = focus < 0 ? null : focus;
	state.ghost = isDiff && get.get('g') === '1';
	state.diff = ['self', 'total', 'judged'].includes(get.get('d')) ? get.get('d') : cfg.diff;
	state.zoom = null;
	range = heat && heat.load(get.get('t'));
	search(get.get('s') || '');
	ui.query.value = state.search;
	return get.get('z');
}

function restore() {
	const key = loadState();
	rebuild();
	draw();
	rowsAtTop = rows;
	if (key)
		state.zoom = findZoom(key);
	update();
}

/* A picture that is drawn anew: the address keeps what is looked at.  Who types
   or does not look at it is left alone. */
function refresh() {
	if (!document.hidden && document.activeElement !== ui.query)
		location.reload();
}

/* --------------------------------------------------------- keys, pointer */

function keepFocus() {
	if (current === null || !live.has(current))
		current = view.top;
	frames.querySelectorAll(':scope > [tabindex]').forEach((g) => g.removeAttribute('tabindex'));
	const element = live.get(current);
	frames.querySelector(':scope > .now')?.classList.remove('now');
	if (!element)
		return;
	element.g.setAttribute('tabindex', '0');
	if (current === ui.match || (sandwich() && current === view.top))
		element.g.classList.add('now');
}

function focusOn(frame) {
	const element = live.get(frame);
	if (!element)
		return;
	current = frame;
	keepFocus();
	element.g.focus({preventScroll: true});
	element.g.scrollIntoView({block: 'nearest', inline: 'nearest'});
	placeFoot();
	describe(frame);
}

/* Where an arrow leads: out and in, or along the row. */
function neighbour(key) {
	const here = boxes.find((box) => box.frame === current);
	if (!here)
		return null;
	const out = key === (state.inverted ? 'ArrowDown' : 'ArrowUp');
	const middle = here.x + here.w / 2;
	let best = null, rank = Infinity;
	for (const box of boxes) {
		let far;
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			far = key === 'ArrowLeft' ? here.x - box.x : box.x - here.x;
			if (box.depth !== here.depth || far <= 0)
				continue;
		} else if (out) {
			if (box.depth !== here.depth + 1 || box.x < here.x - 1e-9 ||
			    box.x + box.w > here.x + here.w + 1e-9)
				continue;
			far = -box.w;
		} else {
			if (box.depth !== here.depth - 1)
				continue;
			far = box.x <= middle && middle <= box.x + box.w ? -1 : 1;
		}
		if (far < rank) {
			rank = far;
			best = box.frame;
		}
	}
	return best;
}

function hide(frame) {
	if (frame !== view.top && view instanceof Tree)
		change({hidden: [...state.hidden, pathKey(view, frame)]});
}

/* The older way to copy, which documents of XML do not have. */
function copyQuery() {
	try {
		return document.execCommand('copy');
	} catch (error) {
		return false;
	}
}

async function copy(frame) {
	const text = stackOf(view, frame).map((name) => names[name]).join(';');
	try {
		await navigator.clipboard.writeText(text);
		say('copied');
	} catch (error) {
		ui.query.value = text;
		ui.query.select();
		say(copyQuery() ? 'copied' : 'cannot copy here');
		ui.query.value = state.search;
		live.get(frame)?.g.focus();
	}
}

const target = () => (hovered !== null ? hovered : current);

/* What keys do; the first word is what the help says. */
const actions = {
	'/': ['search', () => ui.query.focus()],
	'n': ['next match', () => nextMatch(1)],
	'N': ['last match', () => nextMatch(-1)],
	'0': ['reset the view (also Esc)', resetView],
	'i': ['icicles or flames', () => change({inverted: !state.inverted})],
	'r': ['merge from the leaves', () => change({reversed: !state.reversed, focus: null})],
	'o': ['order: name, weight, input', () => {
		const next = {name: 'weight', weight: later ? 'input' : 'name', input: 'name'};
		change({order: next[state.order]});
		say(`order: ${state.order}`);
	}],
	's': ['callers and callees of a function', () => change({
		focus: sandwich() || target() === null || target() === view.top ? null : view.nameOf(target()),
	})],
	'x': ['hide a stack', () => hide(target())],
	'c': ['copy a stack', () => copy(target())],
	'a': [cfg.verdicts ? 'diff: all changes, or those that were tested' : 'diff: change of self or total',
		() => isDiff && change({diff: state.diff !== 'total' ? 'total' : cfg.verdicts ? 'judged' : 'self'})],
	'g': ['diff: the picture before', () => isDiff && change({ghost: !state.ghost})],
	'?': ['this help', toggleHelp],
};

function onKey(event) {
	const inQuery = event.target === ui.query;
	if (event.key === 'Escape') {
		if (ui.help)
			toggleHelp();
		else if (inQuery)
			focusOn(current);
		else
			resetView();
		return;
	}
	if (inQuery && event.key === 'Enter') {
		event.preventDefault();
		nextMatch(event.shiftKey ? -1 : 1);
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey || inQuery)
		return;
	const onFrame = elementOf.has(event.target);
	if (event.key === 'Enter' && onFrame) {
		event.preventDefault();
		zoomTo(elementOf.get(event.target));
		focusOn(current);
	} else if (event.key.startsWith('Arrow') && onFrame) {
		const next = neighbour(event.key);
		event.preventDefault();
		if (next !== null)
			focusOn(next);
	} else if (Object.hasOwn(actions, event.key)) {
		event.preventDefault();
		actions[event.key][1]();
	}
}

function toggleHelp() {
	if (ui.help) {
		ui.help.remove();
		ui.help = null;
		layOut();
		return;
	}
	const list = Object.entries(actions).filter(([key]) => isDiff || (key !== 'a' && key !== 'g'));
	const wide = Math.min(270, width - 2 * PAD), y = cfg.top + 30, tall = list.length * 20 + 16;
	ui.help = make('g', {'data-fg': 'help'}, ui.controls);
	make('rect', {'class': 'sheet', x: PAD, y, width: wide, height: tall, rx: 6}, ui.help);
	list.forEach(([key, [text, action]], i) => {
		const row = button('key', `${key}   ${text}`, () => {
			if (key !== '?')
				toggleHelp();
			action();
		}, ui.help);
		row.removeAttribute('id');
		row.setAttribute('x', PAD + 14);
		row.setAttribute('y', y + 23 + 20 * i);
	});
	ui.helpEnd = y + tall + PAD;
	layOut();
}

/* The frame under the pointer, one too narrow for an element too. */
function frameAt(event) {
	for (let e = event.target; e && e !== frames && e !== root; e = e.parentNode) {
		if (elementOf.has(e))
			return elementOf.get(e);
	}
	if (event.target.closest('[data-fg=controls]'))
		return null;
	/* Of the outer element: browsers do not agree about inner ones. */
	const box = root.getScreenCTM();
	if (!box)
		return null;
	const y = (event.clientY - box.f) / box.d - Number(frames.getAttribute('y'));
	const x = ((event.clientX - box.e) / box.a - PAD) / inner();
	const depth = Math.floor((state.inverted ? y : -y) / cfg.row);
	if (x < 0 || x >= 1 || depth < lowest || depth >= rows)
		return null;
	return view.find(zoomed(), depth, x);
}

function onClick(event) {
	if (event.button !== 0)
		return;
	const frame = frameAt(event);
	if (frame === null)
		return;
	if (event.target.closest('a') && !event.ctrlKey && !event.metaKey)
		return;
	event.preventDefault();
	zoomTo(frame);
}

function onMove(event) {
	const frame = frameAt(event);
	if (frame === hovered)
		return;
	hovered = frame;
	describe(frame);
}

function listen() {
	let resizing = 0, typing = 0;
	const resize = () => {
		cancelAnimationFrame(resizing);
		resizing = requestAnimationFrame(() => {
			const now = measure();
			if (now !== width) {
				width = now;
				update();
			}
			placeFoot();
		});
	};
	window.addEventListener('resize', resize);
	resize();
	window.addEventListener('scroll', placeFoot, {passive: true});
	if (hasPage)
		window.addEventListener('hashchange', restore);
	if (hasPage && cfg.refresh)
		setInterval(refresh, cfg.refresh * 1000);
	(hasPage ? window : root).addEventListener('keydown', onKey);
	root.addEventListener('click', onClick);
	root.addEventListener('mousemove', onMove);
	root.addEventListener('mouseleave', () => {
		hovered = null;
		describe(null);
	});
	frames.setAttribute('tabindex', '-1');   // the listener makes it a tab stop
	frames.addEventListener('focusin', (event) => {
		if (elementOf.has(event.target)) {
			current = elementOf.get(event.target);
			describe(current);
		}
	});
	ui.query.addEventListener('input', () => {
		cancelAnimationFrame(typing);
		typing = requestAnimationFrame(() => {
			search(ui.query.value);
			update();
		});
	});
}

/* The bytes of a table. */
async function bytesOf(name) {
	const element = part(name), bytes = bytesOfBase64(element.textContent);
	return element.dataset.form === 'deflate' ? inflate(bytes) : bytes;
}

/* heat.js leaves it at the root where there is one. */
async function findHeat() {
	if (!root.heatMap)
		return;
	heat = await root.heatMap({
		part, make, button, commas,
		read: async (name) => new Reader(await bytesOf(name)),
		size: () => table.name.length,
		choose: setRange,
		tell: (line1, line2) => {
			ui.line1.textContent = line1;
			say(line2);
		},
	});
	actions.h = ['the heat map', () => part('heat').focus()];
}

async function main() {
	table = loadTable(await bytesOf('table'));
	makeControls();
	await findHeat();
	full = view = table;
	findMaxChange();
	adopt();
	/* To ask for the width means layout: of the frames only once they are drawn. */
	frames.setAttribute('display', 'none');
	width = measure(true);
	frames.removeAttribute('display');
	const key = loadState();
	if (state.reversed || state.order !== 'name' || state.hidden.length > 0 ||
	    state.focus !== null || state.ghost || range)
		rebuild();
	draw();
	rowsAtTop = rows;
	if (key)
		state.zoom = findZoom(key);
	if (key || marks)
		update();
	listen();
	root.dataset.ready = '1';
}

main();
})();
