/* time.js - the timeline above a flame graph, which selects a time range and a thread. */
(() => {
'use strict';

const LEFT = 150;   // of the lanes, beside the margin, px; as in svgtime.c
const AXIS = 18;    // the height of the labels of times, px
const EDGE = 5;     // so near to an end of the range it is dragged, px
const GRIP = 16;    // a narrower range is moved by as much around it, px
const NEAR = 3;     // a drag that is shorter is a click, px
const STEPS = 100;  // that an arrow key divides the time into

const root = document.currentScript.closest('svg');
const Grid = root.timeGrid;

/* Samples in the order of time; svgtime.h has the format. */
/** @param {TableReader} reader */
function loadSamples(reader) {
	if (reader.number() !== 1)
		throw new Error('unknown version of the samples');
	const tick = reader.number(), ticks = reader.number();
	const nthreads = reader.number(), n = reader.number(), each = reader.number();
	const threads = [];
	for (let i = 0; i < nthreads; i++)
		threads.push({label: reader.text(), pid: reader.number() - 1, tid: reader.number() - 1});
	/** @type {<T extends TypedColumn>(Type: new (n: number) => T) => T} */
	const column = (Type) => reader.column(n, new Type(n + 1)).subarray(1);
	const time = column(Uint32Array);
	for (let k = 1; k < n; k++)
		time[k] += time[k - 1];
	return {
		tick, ticks, threads, time, thread: column(Uint16Array), frame: column(Uint32Array),
		weight: each > 0 ? new Float64Array(n).fill(each) : column(Float64Array),
	};
}

/* A range is the ticks from one on until another, the last not. */
class Times {
	/** @param {Viewer} viewer @param {ReturnType<typeof loadSamples>} samples */
	constructor(viewer, samples) {
		this.viewer = viewer;
		this.map = viewer.part('timeline');
		const config = JSON.parse(this.map.dataset.time);
		this.start = config.start;
		this.lanes = config.lanes;
		this.high = config.high;      // a lane, px
		this.clock = config.clock;
		this.tick = samples.tick;     // ns
		this.ticks = samples.ticks;
		this.threads = samples.threads;
		this.time = samples.time;     // of each sample, in ticks
		this.thread = samples.thread;
		this.frame = samples.frame;
		this.weight = samples.weight;
		/** @type {[number, number]|null} */
		this.chosen = null;   // the range, or null for all
		/** @type {number|null} */
		this.only = null;     // index of the one thread, or null for all
		this.drag = null;     // what the pointer does: {kind, at, x}
		this.cursor = 0;      // the tick that keys move
		this.anchor = null;   // where a range began that keys choose
		this.grid = null;     // the heat map, if that is shown
		this.open = false;    // it began by Enter, and has no end yet
		this.height = this.lanes * this.high;
		this.total = this.weight.reduce((a, b) => a + b, 0) || 1;
		this.build();
		this.listen();
	}

	build() {
		const {make, button} = this.viewer, {map, height} = this, made = {'data-made': ''};
		const box = make('svg', Object.assign({
			width: '100%', height, viewBox: `0 0 ${this.ticks} 1`,
			preserveAspectRatio: 'none', 'pointer-events': 'none',
		}, made), map);
		this.before = make('rect', {'class': 'shade', height: 1}, box);
		this.after = make('rect', {'class': 'shade', height: 1}, box);
		this.edges = make('path', {'class': 'range'}, box);
		this.mark = make('path', {'class': 'mark'}, box);
		this.hit = make('rect', Object.assign({
			'class': 'hit', width: '100%', height: height + AXIS, fill: 'none',
		}, made), map);
		this.line = make('text', Object.assign({
			'data-fg': 'range', x: -LEFT, y: height + AXIS + 14, 'font-size': 12,
		}, made), map);
		this.all = button('all', 'All samples', () => this.clear(), map);
		this.pick = button('threads', 'Threads…', () => this.showThreads(), map);
		this.face = button('face', '', () => this.turn(), map);
		for (const element of [this.all, this.pick, this.face]) {
			element.setAttribute('text-anchor', 'end');
			element.setAttribute('x', '100%');
			element.setAttribute('y', height + AXIS + 14);
			element.dataset.made = '';
		}
		this.labels = [...map.querySelectorAll('[data-lane]')];
		this.paths = [...map.querySelectorAll('.lane')];
		for (const [key, value] of Object.entries({
			tabindex: 0, role: 'application', 'aria-label': 'Activity by time: arrows move, Enter begins ' +
				'and ends a range, Shift and an arrow move its end, Page Up and Page Down move it, ' +
				'plus and minus zoom, t chooses a thread, w shows a heat map, Escape shows all',
		}))
			map.setAttribute(key, value);
		this.show();
	}

	/* ------------------------------------------------------------ times */

	/* A time in ns from the start, with as many digits as a part of the time needs. */
	/** @param {number} ns @param {number} [part] */
	text(ns, part = this.tick * this.ticks / 1000) {
		const all = this.tick * this.ticks;
		const [unit, name] = all < 1e6 ? [1e3, 'µs'] : all < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
		const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(part / unit) - 1e-9)));
		const value = (ns / unit).toFixed(digits);
		if (all < 6e11)
			return `${value} ${name}`;
		const whole = Math.floor(Number(value)), two = (/** @type {number} */ n) => String(n % 60).padStart(2, '0');
		return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60))}:${two(whole)}` +
			value.slice(String(whole).length);
	}

	/** @param {number[]} range */
	spanText([from, to]) {
		const part = (to - from) * this.tick / 1000;
		return `${this.text(from * this.tick, part)} – ${this.text(to * this.tick, part)}`;
	}

	/* What the clock of the recording said: ns beyond 2^53 are exact, too. */
	/** @param {number} tick */
	clockText(tick) {
		const digits = String(BigInt(this.start) + BigInt(tick) * BigInt(this.tick)).padStart(10, '0');
		return `${digits.slice(0, -9)}.${digits.slice(-9, -3)} s`;
	}

	/* The first sample that is not before a tick. */
	/** @param {number} tick */
	sampleAt(tick) {
		let low = 0, high = this.time.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.time[middle] < tick)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* The samples of a range, of the chosen thread. */
	/** @param {number[]} [range] */
	*samples([from, to] = this.range()) {
		const end = this.sampleAt(to);
		for (let k = this.sampleAt(from); k < end; k++) {
			if (this.only === null || this.thread[k] === this.only)
				yield k;
		}
	}

	range() {
		return this.chosen || [0, this.ticks];
	}

	get isAll() {
		return this.chosen === null && this.only === null;
	}

	/* What the samples chosen add to each frame of the table. */
	weights() {
		const self = new Float64Array(this.viewer.size()), {frame, only, thread, weight} = this;
		const [from, to] = this.range(), end = this.sampleAt(to);
		let samples = 0;
		for (let k = this.sampleAt(from); k < end; k++) {
			if (only === null || thread[k] === only) {
				self[frame[k]] += weight[k];
				samples++;
			}
		}
		return {self, samples};
	}

	/* ----------------------------------------------------------- ranges */

	/* Bounds in the recording, at least a tick apart; nothing for all of it. */
	/** @param {number} from @param {number} to @returns {[number, number]|null} */
	bounded(from, to) {
		const a = Math.max(0, Math.min(this.ticks - 1, Math.floor(from)));
		const b = Math.min(this.ticks, Math.max(a + 1, Math.ceil(to)));
		return a === 0 && b === this.ticks ? null : [a, b];
	}

	/** @param {[number, number]|null} range @param {number|null} [only] */
	choose(range, only = this.only) {
		this.chosen = range && this.bounded(...range);
		this.only = only;
		this.show();
		this.viewer.choose(this.isAll ? null : this.weights());
	}

	/* The same while a wheel turns or the pointer drags: the rest comes when it rests. */
	/** @param {number} from @param {number} to */
	move(from, to) {
		const wide = Math.min(this.ticks, to - from), left = Math.max(0, Math.min(this.ticks - wide, from));
		this.chosen = this.bounded(left, left + wide);
		this.show();
		this.viewer.moved();
		clearTimeout(this.resting);
		this.resting = setTimeout(() => this.choose(this.chosen), 250);
	}

	/* Zoom by a factor at a tick. */
	/** @param {number} factor @param {number} tick */
	zoom(factor, tick) {
		const [from, to] = this.range(), wide = Math.max(2, (to - from) * factor);
		const left = tick - (tick - from) / (to - from) * wide;
		this.move(left, left + wide);
	}

	/* Move by whole ticks, so that the range stays as wide as it is. */
	/** @param {number} by @param {number[]} [range] */
	pan(by, [from, to] = this.range()) {
		const ticks = Math.sign(by) * Math.ceil(Math.abs(by));
		this.move(from + ticks, to + ticks);
	}

	/** @param {number} i */
	chooseThread(i) {
		this.choose(this.chosen, this.only === i ? null : i);
	}

	clear() {
		const had = !this.isAll;
		this.open = false;
		if (had)
			this.choose(null, null);
		return had;
	}

	/* Activity, or the heat map. */
	/** @param {boolean} isGrid */
	setFace(isGrid) {
		this.grid?.box.remove();
		this.grid = isGrid ? new Grid(this, this.viewer.make) : null;
		if (this.grid) {
			this.grid.box.dataset.made = '';
			this.hit.before(this.grid.box);
		}
	}

	turn() {
		this.setFace(!this.grid);
		this.choose(this.chosen);
	}

	showThreads() {
		const box = this.pick.getBoundingClientRect();
		this.viewer.menu([['All threads', () => this.choose(this.chosen, null)],
			...this.threads.map(({label}, i) => /** @type {[string, () => void]} */ (
				[label, () => this.choose(this.chosen, i)]))],
		'threads', box.left, box.bottom);
	}

	/* ---------------------------------------------------------- drawing */

	show() {
		const {chosen, only} = this, [from, to] = this.range();
		const few = this.threads.length > 1;
		this.before.setAttribute('width', from);
		this.after.setAttribute('x', to);
		this.after.setAttribute('width', this.ticks - to);
		this.edges.setAttribute('d', chosen ? `M${from} 0H${to}V1H${from}z` : '');
		this.all.style.display = this.isAll ? 'none' : '';
		this.pick.style.display = few ? '' : 'none';
		this.pick.setAttribute('dx', this.isAll ? 0 : -80);
		this.face.textContent = this.grid ? 'Activity' : 'Heat map';
		this.face.setAttribute('dx', (this.isAll ? 0 : -80) - (few ? 66 : 0));
		this.map.classList.toggle('grid', this.grid !== null);
		this.grid?.draw();
		const lane = only === null ? null : Math.min(only, this.lanes - 1);
		this.labels.forEach((label, i) => label.classList.toggle('off', lane !== null && lane !== i));
		this.paths.forEach((path, i) => path.classList.toggle('off', lane !== null && lane !== i));
		const drag = 'Drag to choose a range of time', span = this.spanText([from, to]);
		if (this.isAll) {
			this.texts = this.grid ? [`A column is ${this.text(this.grid.span * this.tick)}, from the bottom to the top`] :
				[drag + (few ? ', click a thread to see it alone' : ''), drag, 'Drag to choose'];
		} else {
			let sum = 0;
			for (const k of this.samples())
				sum += this.weight[k];
			const share = `${(100 * sum / this.total).toFixed(2)}% of all counts`;
			this.texts = [[span, only !== null && this.threads[only].label, share].filter(Boolean).join(' · '), span];
		}
		this.fit();
	}

	/* The longest text that has room beside the words at the right. */
	fit() {
		const room = LEFT + Number(this.map.getAttribute('width')) + Number(this.face.getAttribute('dx')) - 60;
		this.line.textContent = this.texts.find((text) => 6.3 * text.length < room) || '';
	}

	/* The tick that the pointer or a key is at, and what to tell of it. */
	/** @param {number} tick @param {string} [told] */
	point(tick, told = this.text(tick * this.tick)) {
		const {viewer} = this;
		this.mark.setAttribute('d', tick === null ? '' : `M${tick} 0V1`);
		if (tick === null)
			viewer.tell('', '');
		else
			viewer.tell(told, this.clock && `${this.clock} clock ${this.clockText(tick)}`);
	}

	/** @param {number} inner */
	resize(inner) {
		const wide = Math.max(60, inner - LEFT), labels = [...this.viewer.part('times').querySelectorAll('text')];
		this.map.setAttribute('width', wide);
		this.fit();
		const second = labels[1] ? parseFloat(labels[1].getAttribute('x')) : 100;
		const every = Math.ceil(90 / Math.max(1, wide * second / 100));
		labels.forEach((label, i) => {
			label.style.display = i % every === 0 ? '' : 'none';
		});
	}

	/* ---------------------------------------------------- keys, pointer */

	/** @param {MouseEvent} event */
	tickAt(event) {
		const box = this.hit.getBoundingClientRect();
		if (this.grid) {
			const y = (event.clientY - box.top) / box.height * (this.height + AXIS) / this.height;
			return this.grid.tickAt((event.clientX - box.left) / box.width, y);
		}
		return Math.max(0, Math.min(this.ticks, (event.clientX - box.left) / box.width * this.ticks));
	}

	/* What a drag would do from here. */
	/** @param {PointerEvent} event */
	kindAt(event) {
		const {chosen} = this, box = this.hit.getBoundingClientRect();
		if (!chosen || this.grid)
			return 'new';
		const [from, to] = chosen.map((tick) => box.left + tick / this.ticks * box.width);
		const x = event.clientX, near = Math.min(EDGE, (to - from) / 3);
		if (to - from < GRIP && Math.abs(x - (from + to) / 2) < GRIP / 2)
			return 'move';
		return Math.abs(x - from) <= near ? 'from' : Math.abs(x - to) <= near ? 'to' :
			x > from && x < to ? 'move' : 'new';
	}

	/** @param {PointerEvent} event */
	onDown(event) {
		if (event.button !== 0)
			return;
		this.drag = {
			kind: this.kindAt(event), at: this.tickAt(event), x: event.clientX, range: this.range(), far: false,
		};
		this.hit.setPointerCapture(event.pointerId);
		this.map.focus({preventScroll: true});
		event.preventDefault();
	}

	/** @param {PointerEvent} event */
	onMove(event) {
		const {drag} = this, at = this.tickAt(event);
		this.point(Math.floor(at));
		if (!drag) {
			const kind = this.kindAt(event);
			this.hit.style.cursor = kind === 'new' ? 'crosshair' : kind === 'move' ? 'grab' : 'ew-resize';
			return;
		}
		drag.far = drag.far || Math.abs(event.clientX - drag.x) > NEAR;
		if (!drag.far)
			return;
		if (drag.kind === 'move')
			this.pan(at - drag.at, drag.range);
		else {
			const [from, to] = drag.range;
			const other = {'new': drag.at, from: to, to: from}[drag.kind];
			this.move(Math.min(at, other), Math.max(at, other) + (this.grid?.cell || 0));
		}
	}

	/* The end of a drag; a click beside the range shows all, or moves the window of a chart there. */
	onUp() {
		const {drag} = this;
		this.drag = null;
		if (!drag)
			return;
		clearTimeout(this.resting);
		if (drag.far)
			this.choose(this.chosen);
		else if (this.chosen && drag.kind === 'new' && this.viewer.isChart())
			this.pan(drag.at - (drag.range[0] + drag.range[1]) / 2);
		else if (this.chosen && drag.kind === 'new')
			this.choose(null);
	}

	/** @param {WheelEvent} event */
	onWheel(event) {
		event.preventDefault();
		this.zoom(1.002 ** Math.max(-300, Math.min(300, event.deltaY)), this.tickAt(event));
	}

	/* Keys that move and zoom the range: whether this was one. */
	/** @param {string} key */
	onRangeKey(key) {
		const [from, to] = this.range(), wide = to - from;
		if (key === 'PageUp' || key === 'PageDown')
			this.pan(key === 'PageUp' ? -wide / 2 : wide / 2);
		else if (key === '+' || key === '=' || key === '-')
			this.zoom(key === '-' ? 2 : 0.5, (from + to) / 2);
		else
			return false;
		clearTimeout(this.resting);
		this.choose(this.chosen);
		[this.anchor, this.cursor] = this.range();
		return true;
	}

	/** @param {KeyboardEvent} event */
	onKey(event) {
		const {key} = event, step = Math.max(1, Math.round(this.ticks / STEPS));
		if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.map)
			return;
		let told;
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			if (event.shiftKey && this.anchor === null)
				this.anchor = this.cursor;
			this.cursor = Math.max(0, Math.min(this.ticks, this.cursor + (key === 'ArrowLeft' ? -step : step)));
			if (event.shiftKey)
				this.choose([Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)]);
		} else if (key === 'Enter' || key === ' ') {
			if (this.open)
				this.choose([Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)]);
			this.open = !this.open;
			this.anchor = this.cursor;
		} else if (this.onRangeKey(key)) {
			told = this.spanText(this.range());
		} else if (key === 'w') {
			this.turn();
		} else if (key === 't' && this.threads.length > 1) {
			this.showThreads();
		} else if (key === 'Escape' && this.open) {
			this.open = false;
		} else {
			return;   // Escape undoes a step, as elsewhere
		}
		event.preventDefault();
		event.stopPropagation();
		this.point(this.cursor, told);
	}

	listen() {
		const {map, hit} = this;
		hit.addEventListener('pointerdown', (event) => this.onDown(event));
		hit.addEventListener('pointermove', (event) => this.onMove(event));
		hit.addEventListener('pointerup', () => this.onUp());
		hit.addEventListener('pointercancel', () => this.onUp());
		hit.addEventListener('pointerleave', () => this.point(null));
		/* The page would scroll, and end the drag: touch-action is not enough for shapes. */
		hit.addEventListener('touchmove', (event) => event.preventDefault(), {passive: false});
		hit.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
		map.addEventListener('keydown', (event) => this.onKey(event));
		map.addEventListener('focus', () => this.point(this.cursor));
		map.addEventListener('blur', () => this.point(null));
		this.labels.forEach((label, i) => label.addEventListener('click', () => {
			if (i < this.threads.length && (i < this.lanes - 1 || this.lanes === this.threads.length))
				this.chooseThread(i);
			else
				this.showThreads();
		}));
	}

	/* ---------------------------------------------------------- address */

	/* "1.5-2.25@100.101": seconds from the start, and the thread. */
	get state() {
		const {chosen, only, tick} = this;
		const range = chosen ? chosen.map((t) => +(t * tick / 1e9).toFixed(9)).join('-') : '';
		return range + (only === null ? '' : `@${this.threads[only].pid}.${this.threads[only].tid}`) +
			(this.grid ? '+' : '');
	}

	/* The weights of what an address has chosen, null for all. */
	/** @param {string|undefined} text */
	load(text) {
		const isGrid = (text || '').endsWith('+');
		const [range, thread] = (text || '').replace('+', '').split('@');
		const [from, to] = range.split('-').map((s) => Math.floor(Math.round(1e9 * parseFloat(s)) / this.tick));
		this.chosen = from < to && to < Infinity ? this.bounded(from, to) : null;
		const only = this.threads.findIndex(({pid, tid}) => `${pid}.${tid}` === thread);
		this.only = only < 0 ? null : only;
		this.anchor = null;
		this.open = false;
		this.setFace(isGrid);
		this.show();
		return this.isAll ? null : this.weights();
	}
}

/* For flame.js: a promise of the timeline, which passes ranges to viewer.choose(). */
root.heatMap = async (viewer) => new Times(viewer, loadSamples(await viewer.read('samples')));
})();
