/* table.js - the table of frames, and the tree that it is. */

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

	/* A length, and as many bytes of UTF-8. */
	text() {
		const n = this.number();
		this.pos += n;
		return new TextDecoder().decode(this.bytes.subarray(this.pos - n, this.pos));
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

/* Where the frames below each frame end: parents come before their children. */
function endsOf(parent) {
	const n = parent.length, end = new Uint32Array(n);
	for (let i = n - 1; i > 0; i--) {
		end[i] = end[i] || i + 1;
		if (end[parent[i]] < end[i])
			end[parent[i]] = end[i];
	}
	end[0] = n;
	return end;
}

/*
 * A tree in the order of drawing, callers first, left to right.  Frame i is
 * as wide as what lies between at[i] and at[end[i]]; what it has itself is
 * at its left, but in a chart, where lead[i] of it is before frame i, at
 * where[i].  Frame 0 is the root.  Another tree gives the shape: name, parent,
 * depth and end; counts that are not given are its own, too.
 */
class Tree {
	constructor(shape, counts) {
		const {self, before, judged, lead} = Object.assign({}, shape, counts);
		this.name = shape.name;
		this.parent = shape.parent;
		this.depth = shape.depth;
		this.end = shape.end;
		this.from = shape.from;   // of another shape than the table: regrow.js
		this.self = self;
		this.before = before;
		this.judged = judged;   // 1 + place in cfg.verdicts, or 0
		this.at = self === shape.self && shape.at || this.sums(self);
		this.old = before && (before === shape.before && shape.old || this.sums(before));
		this.lead = lead;
		this.where = lead && this.places();
		this.all = Math.max(this.at[this.name.length], range ? 0 : Number(cfg.total || 0));
	}

	sums(column) {
		const n = column.length, sum = new Float64Array(n + 1);
		for (let i = 0; i < n; i++)
			sum[i + 1] = sum[i] + column[i];
		return sum;
	}

	places() {
		const {at, end, lead, parent} = this, n = parent.length;
		const where = new Float64Array(n), next = new Float64Array(n);
		for (let i = 1; i < n; i++) {
			where[i] = next[i] = next[parent[i]] + lead[i];
			next[parent[i]] += at[end[i]] - at[i];
		}
		return where;
	}

	left(i) {
		return this.where ? this.where[i] : this.at[i];
	}

	right(i) {
		const {at, end, where} = this;
		return where ? where[i] + at[end[i]] - at[i] : at[end[i]];
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
		const {end, depth, parent} = this;
		const callers = [];
		for (let i = zoom; i !== 0; i = parent[i])
			callers.push(parent[i]);
		for (const i of callers.reverse())
			draw(i, depth[i], 0, 1, true);
		draw(zoom, depth[zoom], 0, 1, false);
		const scale = 1 / this.total(zoom), base = this.left(zoom);
		let run = -1, runDepth = 0, runX = 0, runEnd = 0;
		for (let i = zoom + 1; i < end[zoom];) {
			const x = (this.left(i) - base) * scale;
			const x2 = (this.right(i) - base) * scale;
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
		const pos = this.left(zoom) + x * this.total(zoom);
		let low = zoom, high = this.end[zoom] - 1;
		while (low < high) {
			const middle = (low + high + 1) >>> 1;
			if (this.left(middle) <= pos)
				low = middle;
			else
				high = middle - 1;
		}
		while (low !== zoom && pos >= this.right(low))
			low = this.parent[low];
		if (this.depth[low] < depth || pos >= this.right(low))
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
				count += at[end[i]] > at[i] ? 1 : 0;
				i = end[i];
			} else {
				i++;
			}
		}
		return {sum, count};
	}
}

/* A Tree with its siblings in another order, as far as it is looked at. */
class Ordered extends Tree {
	constructor(tree, compare) {
		super(tree, {lead: null});
		this.compare = compare;
		this.families = new Map();   // frame -> its children in order
		this.place = new Float64Array(tree.name.length);
	}

	/* Children of a frame whose own place is known. */
	kids(i) {
		let kids = this.families.get(i);
		if (!kids) {
			const {end} = this;
			kids = [];
			for (let c = i + 1; c < end[i]; c = end[c])
				kids.push(c);
			kids.sort(this.compare);
			let at = this.place[i] + this.self[i];
			for (const kid of kids) {
				this.place[kid] = at;
				at += this.at[end[kid]] - this.at[kid];
			}
			this.families.set(i, kids);
		}
		return kids;
	}

	left(i) {
		const todo = [];
		for (let f = i; f !== 0 && !this.families.has(this.parent[f]); f = this.parent[f])
			todo.push(this.parent[f]);
		while (todo.length > 0)
			this.kids(todo.pop());
		return this.place[i];
	}

	right(i) {
		return this.left(i) + this.at[this.end[i]] - this.at[i];
	}

	visit(zoom, min, draw) {
		const {at, depth, end, place} = this, scale = 1 / this.total(zoom), base = this.left(zoom);
		const callers = [], todo = [];
		for (let i = zoom; i !== 0; i = this.parent[i])
			callers.push(this.parent[i]);
		for (const i of callers.reverse())
			draw(i, depth[i], 0, 1, true);
		for (let i = zoom; i !== undefined; i = todo.pop()) {
			const kids = this.kids(i);
			draw(i, depth[i], i === zoom ? 0 : (place[i] - base) * scale,
				i === zoom ? 1 : (at[end[i]] - at[i]) * scale, false);
			for (let k = kids.length - 1, wide = 0; k >= 0; k--) {
				const kid = kids[k], w = (at[end[kid]] - at[kid]) * scale;
				if (w >= min) {
					todo.push(kid);
					wide = 0;
				} else if ((wide += w) >= min) {
					draw(kid, depth[kid], (place[kid] - base) * scale, wide, false);
					wide = 0;
				}
			}
		}
	}

	find(zoom, depth, x) {
		const pos = this.left(zoom) + x * this.total(zoom);
		let i = zoom;
		while (this.depth[i] > depth)
			i = this.parent[i];
		while (i !== undefined && this.depth[i] < depth)
			i = this.kids(i).find((kid) => pos >= this.place[kid] && pos < this.right(kid));
		return i === undefined ? null : i;
	}
}
