/* view.js - what is looked at, and the way from one view to another. */

const state = {
	zoom: null, search: '', inverted: !!cfg.inverted, reversed: false,
	order: 'name', hidden: [], focus: null, diff: cfg.diff, ghost: false,
};

let table;             // the Tree as it came
let full;              // the same, ordered, without what is hidden
let view;              // what is drawn: full, or one of the other views
let sampled;           // the Tree of which the number of samples is known
let marks = null;      // for each name, whether the search found it
let range = null;      // of a heat map: what its samples add to each frame
let heat = null;       // that heat map

const sandwich = () => (view instanceof Sandwich ? view : null);

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
	const sorted = new Tree(pick(tree.name), Uint32Array.from(order, (i) => place[tree.parent[i]]),
		pick(tree.depth), pick(tree.self), pick(tree.before), pick(tree.judged));
	sorted.from = order;
	return sorted;
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
	const lead = tree.lead && tree.lead.slice();
	for (const i of findKeys(tree, state.hidden)) {
		self.fill(0, i, tree.end[i]);
		if (lead)
			lead.fill(0, i + 1, tree.end[i]);
		if (before)
			before.fill(0, i, tree.end[i]);
	}
	const rest = new Tree(tree.name, tree.parent, tree.depth, self, before, tree.judged, lead);
	rest.from = tree.from;
	return rest;
}

/* Make full and view anew after order, hidden or the kind of view changed. */
function rebuild() {
	full = table;
	if (range)
		full = new Tree(full.name, full.parent, full.depth, range.self, null, null);
	sampled = full;
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
	holdFocus();
	live.forEach(release);
	live = new Map();
	current = hovered = null;
	edition++;
	findMaxChange();
}

/* Change the kind of view, and find the zoomed frame in it again. */
function change(what) {
	const key = state.zoom === null ? null : frameKey(view, state.zoom);
	const place = current === null ? null : frameKey(view, current);
	const same = !('reversed' in what) && !('focus' in what);
	Object.assign(state, what);
	state.zoom = null;
	rebuild();
	if (key !== null && same)
		state.zoom = findZoom(key);
	if (held && place !== null && same)
		current = findZoom(place);
	rowsAtTop = 1;
	describe(sandwich() ? view.top : null);
	update();
}

function findFrame(key) {
	if (view instanceof Tree) {
		const [depth, a, b, turn] = key.split('.');
		return findKeys(view, [[depth, a, b].join('.')])
			.find((i) => turnOf(view, i) === Number(turn || 0)) || null;
	}
	if (view instanceof Merged) {
		const node = findMerged(view, key);
		return node === view.top ? null : node;
	}
	return null;
}

/* In a range, or in a diff on either side, there may be nothing of it. */
function findZoom(key) {
	let frame = findFrame(key);
	while (frame !== null && view.total(frame) === 0)
		frame = view.parentOf(frame) || null;
	return frame === view.top ? null : frame;
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
	/* The address and the legend can wait until the picture is seen. */
	cancelAnimationFrame(ui.saving);
	ui.saving = requestAnimationFrame(() => setTimeout(() => {
		saveState();
		showShares();
	}));
}
