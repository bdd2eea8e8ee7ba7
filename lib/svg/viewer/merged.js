/* merged.js - the views that put equal functions together. */

const sumOf = (list) => (list ? list.reduce((a, b) => a + b, 0) : 0);

/* Columns for the frames of a node. */
const columns = (n, two) => ({
	frame: new Uint32Array(n), weight: new Float64Array(n), old: two ? new Float64Array(n) : null,
});

/* The first of them; the rest of the memory can go. */
const cut = ({frame, weight, old}, n) => ({
	frame: frame.slice(0, n), weight: weight.slice(0, n), old: old && old.slice(0, n),
});

/*
 * A tree made of frames of a Tree with equal names, as far as it is looked
 * at: upwards, what called them, or downwards, what they call.  A node's frames
 * are three columns: frames of the Tree, their counts, and counts before.
 * Only nodes that are wide enough to see get them at once.
 */
class Merged {
	constructor(tree, up, name, frames) {
		this.tree = tree;
		this.up = up;
		this.start = null;   // the Leaves that it begins with, if any
		this.slot = new Int32Array(names.length);
		this.top = this.node(null, name, sumOf(frames.weight), sumOf(frames.old));
		this.top.frames = frames;
		this.all = this.top.total;
		this.least = this.all / 2000;   // about half a pixel
	}

	node(parent, name, total, before) {
		return {
			parent, name, total, before, frames: null, kids: null, at: 0,
			depth: parent ? parent.depth + 1 : 0, self: 0, selfBefore: 0, filled: Infinity,
		};
	}

	/* One step from a node's frames: callers, each once, or what is called. */
	step(node) {
		const {parent, end} = this.tree, {frame, weight, old} = this.framesOf(node);
		if (!this.up)
			return this.callees(frame, end);
		const stamp = this.stamp = this.stamp || new Uint32Array(parent.length);
		let base = this.serial || 1, n = 0;
		if (base + frame.length > 0xffffffff) {
			stamp.fill(0);
			base = 1;
		}
		this.serial = base + frame.length;
		const next = this.scratch(frame.length, old !== null);
		for (let k = 0; k < frame.length; k++) {
			const up = parent[frame[k]];
			if (up === 0)
				continue;
			if (stamp[up] < base) {
				stamp[up] = base + n;
				next.weight[n] = 0;
				if (old)
					next.old[n] = 0;
				next.frame[n++] = up;
			}
			const at = stamp[up] - base;
			next.weight[at] += weight[k];
			if (old)
				next.old[at] += old[k];
		}
		return cut(next, n);
	}

	/* Columns that the next step uses again. */
	scratch(n, two) {
		if (!this.spare || this.spare.frame.length < n)
			this.spare = columns(n, two);
		return this.spare;
	}

	callees(frame, end) {
		const {tree} = this;
		let n = 0;
		for (const i of frame) {
			for (let c = i + 1; c < end[i]; c = end[c])
				n++;
		}
		const next = columns(n, tree.old !== null);
		n = 0;
		for (const i of frame) {
			for (let c = i + 1; c < end[i]; c = end[c], n++) {
				next.frame[n] = c;
				next.weight[n] = tree.total(c);
				if (next.old)
					next.old[n] = tree.totalBefore(c);
			}
		}
		return next;
	}

	kidsOf(node) {
		if (node.kids)
			return node.kids;
		const all = this.start && node === this.top ? null : this.step(node);
		node.kids = all ? this.group(node, all) : this.start.kids(this);
		if (all)
			this.fill(node, all, this.least);
		node.kids.sort(state.order === 'weight' ?
			(a, b) => b.total - a.total || a.name - b.name :
			(a, b) => a.name - b.name);
		this.place(node);
		return node.kids;
	}

	/* A node for each name among some frames. */
	group(parent, {frame, weight, old}) {
		const {slot} = this, {name} = this.tree, kids = [];
		for (let k = 0; k < frame.length; k++) {
			const which = name[frame[k]];
			if (slot[which] === 0)
				slot[which] = kids.push(this.node(parent, which, 0, 0));
			const kid = kids[slot[which] - 1];
			kid.total += weight[k];
			if (old)
				kid.before += old[k];
		}
		for (const kid of kids)
			slot[kid.name] = 0;
		return kids;
	}

	/* Give their frames to those kids that are wide enough. */
	fill(node, {frame, weight, old}, least) {
		const {slot} = this, {name} = this.tree, lists = [];
		for (const kid of node.kids) {
			if (!kid.frames && kid.total >= least)
				slot[kid.name] = lists.push({kid, n: 0, place: 0});
		}
		for (let k = 0; k < frame.length; k++) {
			if (slot[name[frame[k]]] > 0)
				lists[slot[name[frame[k]]] - 1].n++;
		}
		for (const list of lists)
			list.kid.frames = columns(list.n, old !== null);
		for (let k = 0; k < frame.length; k++) {
			if (slot[name[frame[k]]] === 0)
				continue;
			const list = lists[slot[name[frame[k]]] - 1], {frames} = list.kid;
			frames.frame[list.place] = frame[k];
			frames.weight[list.place] = weight[k];
			if (old)
				frames.old[list.place] = old[k];
			list.place++;
		}
		for (const {kid} of lists)
			slot[kid.name] = 0;
		node.filled = least;
	}

	/* Each time that narrower ones are asked for, many are filled at once. */
	framesOf(node) {
		const {parent} = node;
		if (!node.frames && parent === this.top && this.start)
			node.frames = this.start.framesOf(node.name);
		else if (!node.frames)
			this.fill(parent, this.step(parent), Math.min(node.total, parent.filled / 8));
		return node.frames;
	}

	place(node) {
		let kids = 0, before = 0;
		for (const kid of node.kids) {
			kids += kid.total;
			before += kid.before;
		}
		/* What --total leaves is at the right of what there is. */
		node.self = node.parent || !this.start ? Math.max(0, node.total - kids) : 0;
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
			for (let k = kids.length - 1, wide = 0; k >= 0; k--) {
				const kid = kids[k];
				if (kid.total / all >= min) {
					todo.push(kid);
					wide = 0;
				} else if ((wide += kid.total / all) >= min) {
					draw(kid, kid.depth, (kid.at - zoom.at) / all, wide, false);
					wide = 0;
				}
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

	/* For each frame of the Tree, whether a step or more leads to what is marked. */
	reach(marks) {
		const {name, parent} = this.tree, near = Uint8Array.from(name, (i) => marks[i]);
		for (let i = 1; this.up && i < near.length; i++)
			near[i] |= near[parent[i]];
		for (let i = near.length - 1; !this.up && i > 0; i--)
			near[parent[i]] |= near[i];
		return near;
	}

	/* What is not on the way to a match need not be built. */
	matched(zoom, marks) {
		const todo = [zoom], near = this.reach(marks);
		let sum = 0, count = 0;
		while (todo.length > 0) {
			const node = todo.pop();
			if (node.total === 0 || !this.framesOf(node).frame.some((i) => near[i]))
				continue;
			if (marks[node.name]) {
				sum += node.total;
				count++;
			} else {
				for (const kid of this.kidsOf(node))
					todo.push(kid);
			}
		}
		return {sum, count};
	}
}

/*
 * Whether a frame calls the one it is on, as in what is merged from leaves:
 * its counts are those of the other, and its own are not known there.
 */
function callsParent(view, frame) {
	const up = view instanceof Sandwich ? view.depthOf(frame) < 0 :
		view instanceof Merged && view.up;
	return up !== !!cfg.reversed;
}

/* Every frame with a weight of its own begins a stack; those of a name are together. */
class Leaves {
	constructor(tree) {
		const {name, self, before} = tree, first = this.first = new Uint32Array(names.length + 1);
		const own = (i) => self[i] > 0 || (before !== null && before[i] > 0);
		this.tree = tree;
		for (let i = 1; i < self.length; i++) {
			if (own(i))
				first[name[i] + 1]++;
		}
		for (let k = 0; k < names.length; k++)
			first[k + 1] += first[k];
		const next = first.slice(), list = this.list = new Uint32Array(first[names.length]);
		for (let i = 1; i < self.length; i++) {
			if (own(i))
				list[next[name[i]]++] = i;
		}
	}

	framesOf(name) {
		const {self, before} = this.tree, frame = this.list.subarray(this.first[name], this.first[name + 1]);
		return {
			frame, weight: Float64Array.from(frame, (i) => self[i]),
			old: before && Float64Array.from(frame, (i) => before[i]),
		};
	}

	kids(merged) {
		const {self, before} = this.tree, kids = [];
		for (let name = 0; name < names.length; name++) {
			const from = this.first[name], to = this.first[name + 1];
			let total = 0, old = 0;
			for (let k = from; k < to; k++) {
				total += self[this.list[k]];
				old += before ? before[this.list[k]] : 0;
			}
			if (to > from)
				kids.push(merged.node(merged.top, name, total, old));
		}
		return kids;
	}
}

/* From the leaves.  What was built of the table stays: one comes back to it. */
function reversedTree(tree) {
	if (tree !== table)
		return buildReversed(tree);
	tree.reversed = tree.reversed || buildReversed(tree);
	return tree.reversed;
}

function buildReversed(tree) {
	const leaves = new Leaves(tree), none = columns(0, tree.old !== null);
	const merged = new Merged(tree, true, names.length - 1, none);
	merged.start = leaves;
	merged.all = merged.top.total = tree.all;
	merged.top.before = tree.totalBefore(0);
	merged.top.frames = Object.assign(none, {frame: leaves.list});
	merged.least = tree.all / 2000;
	return merged;
}

/* All topmost frames of a function. */
function placesOf(tree, name) {
	const {end} = tree, base = baseOf(name), found = [];
	for (let i = 1; i < tree.name.length;) {
		if (bases[tree.name[i]] === base) {
			found.push(i);
			i = end[i];
		} else {
			i++;
		}
	}
	return {
		frame: Uint32Array.from(found), weight: Float64Array.from(found, (i) => tree.total(i)),
		old: tree.old && Float64Array.from(found, (i) => tree.totalBefore(i)),
	};
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

	/* What it has itself, it has as well where it called itself. */
	selfOf(node) {
		return node === this.top ? functionsOf(this.down.tree).self[baseOf(this.name)] :
			this.side(node).selfOf(node);
	}

	selfBefore(node) {
		const {selfBefore} = functionsOf(this.down.tree);
		return node !== this.top ? this.side(node).selfBefore(node) :
			selfBefore ? selfBefore[baseOf(this.name)] : 0;
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

	/* Of the function's counts, those with what is marked on either side. */
	matched(zoom, marks) {
		const {tree, top} = this.down, {frame, weight} = top.frames;
		const under = this.callers.reach(marks);
		let {count} = this.down.matched(top, marks), sum = 0;
		if (!marks[top.name])
			count += this.callers.matched(this.callers.top, marks).count;
		frame.forEach((i, k) => {
			sum += under[i] ? weight[k] : tree.matched(i, marks).sum;
		});
		return {sum, count};
	}
}
