/* regrow.js - trees of another shape: without recursion, or without callers. */

/* What becomes of a frame. */
const KEEP = 0, MERGE = 1, DROP = 2;

/*
 * A tree where decide(frame, name of its new caller or -1) says of each frame
 * whether it is kept, is one with its caller, or goes without its counts.
 * result.from has for each frame of the table the one that it became.
 */
function regrow(tree, decide) {
	const n = tree.name.length, map = new Uint32Array(n), dropped = new Uint8Array(n);
	const name = [names.length - 1], parent = [0], kids = [null];
	for (let i = 1; i < n; i++) {
		const up = map[tree.parent[i]], what = decide(i, up === 0 ? -1 : name[up]);
		map[i] = what === MERGE ? up : 0;
		dropped[i] = what === DROP ? 1 : 0;
		if (what !== KEEP)
			continue;
		kids[up] = kids[up] || new Map();
		if (!kids[up].has(tree.name[i])) {
			kids[up].set(tree.name[i], name.length);
			name.push(tree.name[i]);
			parent.push(up);
			kids.push(null);
		}
		map[i] = kids[up].get(tree.name[i]);
	}
	return numbered(tree, {map, dropped, name, kids});
}

/* The same with frames in the order of drawing, and their counts. */
function numbered(tree, {map, dropped, name, kids}) {
	const n = name.length, place = new Uint32Array(n), todo = [0];
	const shape = {name: new Uint32Array(n), parent: new Uint32Array(n)};
	const up = new Uint32Array(n), depth = new Uint32Array(n);
	for (let next = 0; todo.length > 0; next++) {
		const i = todo.pop();
		place[i] = next;
		shape.name[next] = name[i];
		shape.parent[next] = up[i];
		depth[next] = next === 0 ? 0 : depth[up[i]] + 1;
		if (!kids[i])
			continue;
		const list = [...kids[i]].sort(([a], [b]) => b - a);
		for (const [, kid] of list) {
			up[kid] = next;
			todo.push(kid);
		}
	}
	shape.depth = depth;
	shape.end = endsOf(shape.parent);
	const sum = (column) => {
		const out = column && new Float64Array(n);
		for (let i = 0; column && i < map.length; i++)
			out[place[map[i]]] += dropped[i] ? 0 : column[i];
		return out;
	};
	const all = map.map((i) => place[i]);
	shape.from = tree.from ? tree.from.map((i) => all[i]) : all;
	return new Tree(shape, {self: sum(tree.self), before: sum(tree.before), judged: null, lead: null});
}

/* A function that calls itself is one frame. */
const withoutRecursion = (tree) => regrow(tree, (i, up) =>
	(up >= 0 && baseOf(up) === baseOf(tree.name[i]) ? MERGE : KEEP));

/* Stacks from the first frame on that a regular expression finds; other stacks go. */
function withoutCallers(tree, regex) {
	const like = names.map((text) => regex.test(text.replace(SUFFIX, '')));
	like[names.length - 1] = false;
	return regrow(tree, (i, up) => (up >= 0 || like[tree.name[i]] ? KEEP : DROP));
}
