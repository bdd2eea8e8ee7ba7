/* merged.js - the views that put equal functions together. */

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
			if (node.total === 0 || !node.frames.frame.some((i) => near[i]))
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
	merged.all = merged.top.total = tree.all;
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
