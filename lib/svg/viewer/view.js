/* view.js - what is looked at, and the way from one view to another. */

const state = {
	zoom: null, search: '', inverted: !!cfg.inverted, reversed: false,
	order: 'name', hidden: [], filters: [], focus: null, diff: cfg.diff, ghost: false,
	chart: false, theme: '', pins: [], table: '', rows: '', open: [], source: '',
};

let table;             // the Tree as it came
let full;              // the same, ordered, without what is hidden
let view;              // what is drawn: full, or one of the other views
let sampled;           // the Tree of which the number of samples is known
let marks = null;      // for each name, whether the search found it
let pins = null;       // and which of the searches that are kept
let range = null;      // of time: what its samples add to each frame
let heat = null;       // the heat map, or times and threads
let ranks = null;      // the order of the input, once it was looked at

const sandwich = () => (view instanceof Sandwich ? view : null);

/* The order of the input: for each frame, its place among its siblings. */
function inputRanks(tree) {
	const {end} = tree, rank = new Uint32Array(end.length), reader = new Reader(later.bytes);
	reader.pos = later.pos;
	for (let i = 0; i < end.length; i++) {
		const kids = [], sorted = [];
		for (let c = i + 1; c < end[i]; c = end[c])
			kids.push(c);
		if (kids.length > 1)
			kids.forEach((kid, k) => sorted.splice(k - reader.number(), 0, kid));
		sorted.forEach((kid, k) => {
			rank[kid] = k;
		});
	}
	return rank;
}

/* A tree with other counts of its own: those of some frames are no more. */
function without(tree, frames) {
	const self = tree.self.slice(), before = tree.before && tree.before.slice();
	const lead = tree.lead && tree.lead.slice();
	for (const i of frames) {
		self.fill(0, i, tree.end[i]);
		if (lead)
			lead.fill(0, i + 1, tree.end[i]);
		if (before)
			before.fill(0, i, tree.end[i]);
	}
	return new Tree(tree, {self, before, lead});
}

/* The topmost frames that a regular expression finds. */
function framesLike(tree, regex) {
	const {end, name} = tree, like = names.map((text) => regex.test(text.replace(SUFFIX, '')));
	const found = [];
	like[names.length - 1] = false;
	for (let i = 1; i < name.length;) {
		if (like[name[i]])
			found.push(i);
		i = like[name[i]] ? end[i] : i + 1;
	}
	return found;
}

/* A tree of only some of its frames, and of what they call. */
function within(tree, frames) {
	const keep = (column) => {
		const kept = column && new Float64Array(column.length);
		for (const i of column ? frames : [])
			kept.set(column.subarray(i, tree.end[i]), i);
		return kept;
	};
	return new Tree(tree, {self: keep(tree.self), before: keep(tree.before), lead: null});
}

/* What a filter leaves of a tree: "+only these", "-not these", ">from these on", "~" without recursion. */
function filtered(tree, text) {
	const regex = compile(text.slice(1));
	if (text === '~')
		return withoutRecursion(tree);
	if (!regex)
		return tree;
	return text[0] === '>' ? withoutCallers(tree, regex) :
		(text[0] === '-' ? without : within)(tree, framesLike(tree, regex));
}

let usual = null;      // what usualFilter() found

/*
 * Recursion is collapsed from the start where it makes the picture higher than
 * the window, and the picture then fits or is half as high.
 */
function usualFilter() {
	if (usual !== null)
		return usual;
	const high = cfg.top + cfg.foot, room = window.innerHeight;
	usual = '';
	if (!hasPage || cfg.counts === 2 || cfg.chart || cfg.reversed || exact || table.name.length > LARGE ||
	    high + cfg.rows * cfg.row <= room)
		return usual;
	const {name, parent} = table, depth = new Uint32Array(name.length);
	let deepest = 0;
	for (let i = 1; i < name.length; i++) {
		depth[i] = depth[parent[i]] + (baseOf(name[i]) === baseOf(name[parent[i]]) ? 0 : 1);
		deepest = Math.max(deepest, depth[i]);
	}
	if (high + (deepest + 1) * cfg.row <= room || deepest < cfg.rows / 2)
		usual = '~';
	return usual;
}

/* A tree without what is hidden or filtered; stacks are hidden by their place in either shape. */
function withoutHidden(tree) {
	const hide = (rest) => (state.hidden.length > 0 ? without(rest, findKeys(rest, state.hidden)) : rest);
	const rest = state.filters.reduce(filtered, hide(tree));
	return rest.from ? hide(rest) : rest;
}

/* Make full and view anew after order, hidden or the kind of view changed. */
function rebuild() {
	full = table;
	if (range)
		full = new Tree(full, {self: range.self, before: null, judged: null, lead: null});
	sampled = full;
	if (state.ghost)
		full = new Tree(full, {self: full.before, before: full.self, lead: null});
	full = withoutHidden(full);
	if (state.order === 'weight')
		full = new Ordered(full, (a, b) => full.total(b) - full.total(a) || a - b);
	else if (state.order === 'input' && later && !full.from) {
		ranks = ranks || inputRanks(table);
		full = new Ordered(full, (a, b) => ranks[a] - ranks[b]);
	}
	view = full;
	if (state.focus !== null)
		view = new Sandwich(full, state.focus);
	else if (state.reversed)
		view = reversedTree(full);
	else if (state.chart)
		view = new Chart(table);
	holdFocus();
	live.forEach(release);
	live = new Map();
	current = hovered = null;
	edition++;
	findMaxChange();
}

/* Change the kind of view, and find the zoomed frame in it again. */
function change(what) {
	ui.step = true;
	const key = state.zoom === null ? null : frameKey(view, state.zoom);
	const place = current === null ? null : frameKey(view, current);
	const same = !('reversed' in what) && !('focus' in what) && !('chart' in what);
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
			.find((i) => turnOf(i) === Number(turn || 0)) || null;
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

/* The picture is drawn from its root down where it is higher than the window. */
function isTall() {
	if (cfg.inverted === 1 || !hasPage)
		return cfg.inverted > 0;
	return cfg.top + cfg.rows * cfg.row + cfg.foot > window.innerHeight;
}

function zoomTo(frame) {
	if (sandwich()) {
		change({focus: view.nameOf(frame)});
		return;
	}
	if (view instanceof Chart) {
		zoomChart(frame);
		return;
	}
	state.zoom = frame === view.top ? null : frame;
	ui.step = true;
	ui.match = null;
	current = frame;
	update();
	describe(frame);
}

function resetView() {
	ui.match = null;
	ui.step = true;
	if (state.hidden.length > 0 || state.filters.join('\n') !== usualFilter() || state.focus !== null) {
		change({hidden: [], filters: usualFilter() ? [usualFilter()] : [], focus: null, zoom: null});
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
	if (ui.step)
		hideTip();
	draw();
	showTable();
	if (state.zoom === null && !sandwich())
		rowsAtTop = rows;
	if (ui.step)
		bringIntoSight(zoomed());
	showMatched();
	/* The address and the legend can wait until the picture is seen. */
	cancelAnimationFrame(ui.saving);
	ui.saving = requestAnimationFrame(() => setTimeout(() => {
		ui.saving = 0;
		saveState();
		showShares();
		showScale();
	}));
}
