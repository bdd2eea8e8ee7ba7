/* chart.js - the flame chart: what each thread did, from left to right in time. */

const LANES = 8;           // threads that a chart shows, the busiest
const AT_ONCE = 12000;     // samples that one drawing looks at, of all threads
const LONGEST = 2.5;       // a sample lasts no longer, in usual distances to the next

/* When the samples of a thread begin and end, ns; equal times share theirs. */
class Lane {
	constructor(times, thread) {
		const {tick, time} = times, list = [];
		for (let k = 0; k < time.length; k++) {
			if (times.thread[k] === thread)
				list.push(k);
		}
		const n = list.length, gaps = [];
		this.thread = thread;
		this.frame = Uint32Array.from(list, (k) => times.frame[k]);
		this.start = new Float64Array(n);
		this.end = new Float64Array(n);
		this.run = new Uint32Array(n);   // increases where nothing is known of the time between
		for (let k = 1; k < n; k++) {
			if (time[list[k]] > time[list[k - 1]])
				gaps.push((time[list[k]] - time[list[k - 1]]) * tick);
		}
		const usual = gaps.length > 0 ? gaps.sort((a, b) => a - b)[gaps.length >> 1] : tick;
		for (let k = 0, last = 0; k < n; k = last) {
			for (last = k; last < n && time[list[last]] === time[list[k]];)
				last++;
			const from = time[list[k]] * tick;
			const to = Math.min(last < n ? time[list[last]] * tick : Infinity, from + LONGEST * usual);
			for (let i = k; i < last; i++) {
				this.start[i] = from + (to - from) * (i - k) / (last - k);
				this.end[i] = from + (to - from) * (i + 1 - k) / (last - k);
				this.run[i] = i === 0 ? 0 : this.run[i - 1] +
					(i === k && this.end[i - 1] < from ? 1 : 0);
			}
		}
	}

	/* The first sample that ends after a time. */
	at(ns) {
		let low = 0, high = this.end.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.end[middle] <= ns)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}
}

/* Those of the recording, made when they are looked at. */
function laneOf(thread) {
	heat.made = heat.made || new Map();
	if (!heat.made.has(thread))
		heat.made.set(thread, new Lane(heat, thread));
	return heat.made.get(thread);
}

/*
 * A view like a Tree.  Its top is the axis; below it each thread has a row with
 * its name, and its frames.  A box is one call, as far as samples can tell: the
 * samples from its first on that have the same frame, without a gap.
 */
class Chart {
	constructor(tree) {
		const {threads, only} = heat;
		/* Whatever the range: it may move. */
		this.tree = withoutHidden(tree);
		this.boxes = new Map();   // so that a box stays the same when the window moves
		this.top = {level: -1, row: 0, lane: null};
		this.lanes = [];
		let row = 1;
		for (const thread of only === null ? threads.slice(0, LANES).keys() : [only]) {
			const lane = laneOf(thread), kept = this.keep(lane);
			const deep = kept.reduce((most, i) => Math.max(most, this.tree.depth[i]), 0);
			this.lanes.push({lane, row, frame: kept, head: {level: 0, row, lane, of: this.lanes.length}});
			row += deep + 1;
		}
	}

	/* The frames of the samples, or the root where they are hidden. */
	keep({frame}) {
		const {from, self} = this.tree;
		return frame.map((i) => {
			const now = from ? from[i] : i;
			return self[now] > 0 ? now : 0;
		});
	}

	/* The window, ns. */
	get from() {
		return heat.range()[0] * heat.tick;
	}

	get to() {
		return heat.range()[1] * heat.tick;
	}

	get all() {
		return this.to - this.from;
	}

	/* The caller of a frame that is at a depth. */
	atDepth(i, depth) {
		const {tree} = this;
		let frame = i;
		while (tree.depth[frame] > depth)
			frame = tree.parent[frame];
		return frame;
	}

	/* How many frames from the root two stacks share. */
	shared(a, b) {
		const {depth, parent} = this.tree;
		let x = a, y = b;
		while (x !== y) {
			if (depth[x] >= depth[y])
				x = parent[x];
			else
				y = parent[y];
		}
		return depth[x];
	}

	box(of, first, level, frame) {
		const key = (first * LANES + of) * 65536 + level;
		if (this.boxes.size > 200000)
			this.boxes.clear();
		if (!this.boxes.has(key)) {
			const {row, lane} = this.lanes[of];
			this.boxes.set(key, {level, row: row + level, lane, of, first, frame, last: -1});
		}
		return this.boxes.get(key);
	}

	/* The last sample of a box. */
	lastOf(box) {
		if (box.last >= 0)
			return box.last;
		const {run} = box.lane, {frame} = this.lanes[box.of];
		let k = box.first;
		while (k + 1 < run.length && run[k + 1] === run[k] && this.atDepth(frame[k + 1], box.level) === box.frame)
			k++;
		box.last = k;
		return k;
	}

	begin(box) {
		return box.first === undefined ? this.from : box.lane.start[box.first];
	}

	finish(box) {
		return box.first === undefined ? this.to : box.lane.end[this.lastOf(box)];
	}

	/*
	 * Boxes of one thread: each depth has an open one, which ends where the
	 * stack is another.  Of very many samples some are left out.
	 */
	visitLane(of, min, draw) {
		const {lane, frame, head} = this.lanes[of], {start, end, run} = lane;
		const {from, to, all} = this, last = lane.at(to);
		const step = Math.max(1, Math.ceil((last - lane.at(from)) * this.lanes.length / AT_ONCE));
		const open = [], narrow = [];
		let k = lane.at(from), before = -1;
		draw(head, head.row, 0, 1, false);
		/* Where the calls that go on at the left began. */
		if (k < run.length) {
			for (let level = 1, first = k; level <= this.tree.depth[frame[k]]; level++)
				open.push({first, frame: this.atDepth(frame[k], level)});
			for (let i = k - 1, alive = open.length; i >= 0 && alive > 0 && run[i] === run[k]; i--) {
				alive = Math.min(alive, this.shared(frame[i], frame[k]));
				for (let level = 0; level < alive; level++)
					open[level].first = i;
			}
		}
		const close = (level, ns) => {
			const {first, frame: i} = open[level - 1];
			const x = Math.max(0, (start[first] - from) / all), x2 = Math.min(1, (ns - from) / all);
			const run = narrow[level] || (narrow[level] = {x, end: -1});
			if (x2 - x >= min) {
				draw(this.box(of, first, level, i), head.row + level, x, x2 - x, false);
				run.end = -1;
				return;
			}
			/* Runs of narrower neighbours are drawn as one. */
			if (run.end < x - min / 2)
				run.x = x;
			run.end = x2;
			if (x2 - run.x >= min) {
				draw(this.box(of, first, level, i), head.row + level, run.x, x2 - run.x, false);
				run.end = -1;
			}
		};
		for (; k < run.length && start[k] < to; k += step) {
			if (before >= 0) {
				const same = run[k] === run[before] ? this.shared(frame[k], frame[before]) : 0;
				while (open.length > same) {
					close(open.length, run[k] === run[before] ? start[k] : end[before]);
					open.pop();
				}
				for (let level = same + 1; level <= this.tree.depth[frame[k]]; level++)
					open.push({first: k, frame: this.atDepth(frame[k], level)});
			}
			before = k;
		}
		for (; before >= 0 && open.length > 0; open.pop())
			close(open.length, end[before]);
	}

	visit(zoom, min, draw) {
		draw(this.top, 0, 0, 1, false);
		for (let of = 0; of < this.lanes.length; of++)
			this.visitLane(of, min, draw);
	}

	find(zoom, row, x) {
		if (row === 0)
			return this.top;
		const of = this.lanes.findLastIndex((lane) => lane.row <= row), {lane, frame, head} = this.lanes[of];
		const level = row - head.row, ns = this.from + x * this.all, k = lane.at(ns);
		if (level === 0)
			return head;
		if (k >= frame.length || lane.start[k] > ns || this.tree.depth[frame[k]] < level)
			return null;
		return this.boxOf(of, k, level);
	}

	/* The box that a sample is in. */
	boxOf(of, k, level) {
		const {lane: {run}, frame} = this.lanes[of], i = this.atDepth(frame[k], level);
		let first = k;
		while (first > 0 && run[first - 1] === run[first] && this.atDepth(frame[first - 1], level) === i)
			first--;
		return this.box(of, first, level, i);
	}

	total(box) {
		return this.finish(box) - this.begin(box);
	}

	totalBefore() {
		return 0;
	}

	selfOf() {
		return 0;
	}

	nameOf(box) {
		return box.level > 0 ? this.tree.name[box.frame] : names.length - 1;
	}

	parentOf(box) {
		return box.level < 0 ? null : box.level === 0 ? this.top : box.level === 1 ?
			this.lanes[box.of].head : this.boxOf(box.of, box.first, box.level - 1);
	}

	depthOf(box) {
		return box.row;
	}

	textOf(box) {
		return box.level > 0 ? shown(this.nameOf(box)) : box.level === 0 ? heat.threads[box.lane.thread].label : '';
	}

	/* What a box is called. */
	titleOf(box) {
		const part = this.all / 1000, length = heat.text(this.total(box), part);
		return box.level < 0 ? `time (${heat.spanText(heat.range())}, ${length})` :
			`${this.textOf(box)} (${length}${box.level > 0 ? `, from ${heat.text(this.begin(box), part)} on` : ''})`;
	}

	linesOf(box) {
		const part = this.all / 1000, share = percent(this.total(box), this.all);
		return box.level <= 0 ? [heat.spanText(heat.range())] :
			[`${heat.text(this.total(box), part)} · ${share} of the time shown`,
				`from ${heat.text(this.begin(box), part)} on · ${heat.threads[box.lane.thread].label}`];
	}

	/* The time shown with a stack that has what is marked; the total is that of all lanes. */
	matched(zoom, marks) {
		const {name, parent} = this.tree, under = Uint8Array.from(name, (i) => marks[i]);
		let sum = 0, count = 0;
		for (let i = 1; i < under.length; i++)
			under[i] |= under[parent[i]];
		for (const {lane, frame} of this.lanes) {
			let was = false;
			for (let k = lane.at(this.from); k < frame.length && lane.start[k] < this.to; k++) {
				const is = frame[k] > 0 && under[frame[k]] > 0;
				sum += is ? Math.min(this.to, lane.end[k]) - Math.max(this.from, lane.start[k]) : 0;
				count += is && !was ? 1 : 0;
				was = is;
			}
		}
		return {sum: sum / this.lanes.length, count};
	}

	/* Round times of the axis, in parts of the window. */
	axis() {
		const {all, from, to} = this, least = all * 90 / inner();
		const power = 10 ** Math.floor(Math.log10(least));
		const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least);
		const list = [];
		for (let ns = Math.ceil(from / step) * step; ns < to; ns += step)
			list.push({x: (ns - from) / all, text: heat.text(ns, step)});
		return list;
	}
}

/* The times in the row of the axis. */
function drawAxis() {
	const old = part('axis');
	if (!(view instanceof Chart)) {
		old?.remove();
		return;
	}
	const g = old || make('g', {'data-fg': 'axis', 'aria-hidden': 'true', 'data-made': ''});
	const y = rowTop(0);
	g.replaceChildren(...view.axis().flatMap(({x, text}) => [
		make('path', {d: `M${(x * inner()).toFixed(1)} ${y}v${cfg.row - 1}`}),
		make('text', {x: (x * inner() + 3).toFixed(1), y: y + cfg.row / 2 + cfg.font * 0.33}, null,
			(1 - x) * inner() > (widthOf(text) + 1) * cfg.cell ? text : ''),
	]));
	frames.append(g);
}

/* A box fills the window, a thread is shown alone, the axis shows all. */
function zoomChart(box) {
	const {tick} = heat;
	if (box.level < 0)
		heat.choose(null);
	else if (box.level === 0)
		heat.chooseThread(box.lane.thread);
	else
		heat.choose([view.begin(box) / tick, view.finish(box) / tick]);
}

/* Where in the window of time the pointer is, 0 to 1, or null beside the chart. */
function placeInChart(event) {
	if (!(view instanceof Chart) || ui.box.contains(event.target) || heat.map.contains(event.target))
		return null;
	const box = root.getScreenCTM(), x = ((event.clientX - box.e) / box.a - PAD) / inner();
	const y = (event.clientY - box.f) / box.d - Number(frames.getAttribute('y'));
	const row = Math.floor((state.inverted ? y : -y) / cfg.row);
	return x >= 0 && x < 1 && row >= 0 && row < rows ? x : null;
}

/* The wheel zooms in the chart at the pointer, and moves it with Shift or sideways. */
function onWheel(event) {
	const x = placeInChart(event);
	if (x === null || event.ctrlKey)
		return;
	const [from, to] = heat.range(), aside = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
	event.preventDefault();
	if (Math.abs(aside) > Math.abs(event.deltaY) || event.shiftKey)
		heat.pan(aside / inner() * (to - from));
	else
		heat.zoom(1.002 ** Math.max(-300, Math.min(300, event.deltaY)), from + x * (to - from));
}

/* A drag in the chart moves it; it is no click then. */
function listenToChart() {
	let drag = null;
	root.addEventListener('wheel', onWheel, {passive: false});
	root.addEventListener('pointerdown', (event) => {
		ui.dragged = false;
		if (event.button === 0 && placeInChart(event) !== null)
			drag = {x: event.clientX, y: event.clientY, range: heat.range()};
	});
	/* A finger that goes along the time does not scroll the page. */
	root.addEventListener('touchmove', (event) => {
		const [{clientX, clientY}] = event.touches;
		if (drag && (ui.dragged || Math.abs(clientX - drag.x) > Math.abs(clientY - drag.y)))
			event.preventDefault();
	}, {passive: false});
	window.addEventListener('pointermove', (event) => {
		if (!drag || (!ui.dragged && Math.abs(event.clientX - drag.x) <= 4))
			return;
		const [from, to] = drag.range;
		ui.dragged = true;
		heat.pan((drag.x - event.clientX) / inner() * (to - from), drag.range);
	});
	for (const kind of ['pointerup', 'pointercancel'])
		window.addEventListener(kind, () => {
			drag = null;
		});
}
