/* functions.js - counts of all functions, wherever they are. */

/*
 * For each name without its suffix: counts of its own, those of all that it
 * calls, where recursion counts once, and in how many places it is.
 */
class Functions {
	constructor(tree) {
		const {at, end, name, old, self, before} = tree, n = names.length, open = new Uint32Array(n);
		baseOf(0);
		this.self = new Float64Array(n);
		this.total = new Float64Array(n);
		this.places = new Uint32Array(n);
		this.selfBefore = before && new Float64Array(n);
		this.totalBefore = before && new Float64Array(n);
		for (let i = 1; i < name.length; i++) {
			const f = bases[name[i]], all = at[end[i]] - at[i], was = old ? old[end[i]] - old[i] : 0;
			this.self[f] += self[i];
			if (before)
				this.selfBefore[f] += before[i];
			if (i < open[f])
				continue;
			open[f] = end[i];
			this.total[f] += all;
			this.places[f] += all > 0 || was > 0 ? 1 : 0;
			if (before)
				this.totalBefore[f] += was;
		}
	}
}

/* Those of a tree, made when they are looked at. */
function functionsOf(tree) {
	tree.functions = tree.functions || new Functions(tree);
	return tree.functions;
}
