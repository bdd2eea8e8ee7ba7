/* heat.js - the heat map of a flame graph: ranges of time are chosen in it. */
(() => {
'use strict';

const LEFT = 56;    // of the cells, beside the margin, px; as in svgheat.c
const WIDEST = 80;  // column, px
const TICK = 64;    // from label to label, at least, px
const AXIS = 20;    // the height of these labels, px

const root = document.currentScript.closest('svg');

/* Samples by the cells they are in; svgheat.h has the format. */
function loadSamples(reader) {
	if (reader.number() !== 1)
		throw new Error('unknown version of the samples');
	const cells = reader.number() * reader.number(), n = reader.number();
	const each = reader.number();
	const count = reader.column(cells, new Uint32Array(cells + 1));
	const frame = reader.column(n, new Uint32Array(n + 1)).subarray(1);
	const first = new Uint32Array(cells + 1);   // sample of each cell
	for (let cell = 0; cell < cells; cell++) {
		first[cell + 1] = first[cell] + count[cell + 1];
		for (let k = first[cell] + 1; k < first[cell + 1]; k++)
			frame[k] += frame[k - 1];
	}
	const weight = each > 0 ? new Float64Array(n).fill(each) :
		reader.column(n, new Float64Array(n + 1)).subarray(1);
	return {first, frame, weight};
}

/*
 * Cells have numbers in the order of time.  A place is what the pointer or a
 * key means: the first and last of one cell, or of a whole column.
 */
class Heat {
	constructor(viewer, samples) {
		this.viewer = viewer;
		this.map = viewer.part('heat');
		const config = JSON.parse(this.map.dataset.heat);
		this.columns = config.columns;
		this.rows = config.rows;
		this.span = config.span;       // of a column, ns
		this.start = config.start;
		this.clock = config.clock;
		this.first = samples.first;
		this.frame = samples.frame;
		this.weight = samples.weight;
		this.height = Number(this.map.getAttribute('height'));
		this.chosen = null;   // first and last cell
		this.anchor = null;   // the place where a range begins
		this.open = false;    // it began, and its end is not chosen yet
		this.pressed = null;  // where a button of the mouse went down
		this.cursor = 0;      // the cell that keys move
		this.build();
		this.listen();
	}

	build() {
		const {make, button} = this.viewer, {map, columns, rows} = this;
		this.page = map.querySelector(':scope > .none');
		const box = make('svg', {
			width: '100%', height: '100%', viewBox: `0 0 ${columns} ${rows}`,
			preserveAspectRatio: 'none', 'pointer-events': 'none',
		}, map);
		this.shade = make('path', {'class': 'shade', 'fill-rule': 'evenodd'}, box);
		this.edge = make('path', {'class': 'range'}, box);
		this.mark = make('path', {'class': 'mark'}, box);
		const hit = make('rect', {
			'class': 'hit', width: '100%', height: this.height + AXIS, fill: 'none',
		}, map);
		this.line = make('text', {
			'data-fg': 'range', x: -LEFT, y: this.height + AXIS + 15, 'font-size': 12,
		}, map);
		this.all = button('all', 'All samples', () => this.choose(null, null), map);
		this.all.setAttribute('text-anchor', 'end');
		this.all.setAttribute('x', '100%');
		this.all.setAttribute('y', this.height + AXIS + 15);
		/* So that it goes when a page that a browser saved is opened. */
		for (const element of [box, this.line, this.all, hit])
			element.dataset.made = '';
		for (const [key, value] of Object.entries({
			tabindex: 0, role: 'application', 'aria-label': 'Heat map of when samples were ' +
				'taken: arrows move, Enter begins and ends a range, w takes whole columns, ' +
				'Escape shows all',
		}))
			map.setAttribute(key, value);
		this.show();
	}

	/* ------------------------------------------------------------ times */

	/* When a cell begins, ns from the start; heat_begin(). */
	begin(cell) {
		const row = cell % this.rows;
		return (cell - row) / this.rows * this.span + Math.ceil(row * this.span / this.rows);
	}

	cellAt(ns) {
		const column = Math.floor(ns / this.span);
		const row = Math.floor((ns - column * this.span) * this.rows / this.span);
		return Math.min(Math.max(0, column * this.rows + row), this.first.length - 2);
	}

	/* "12.34", or of long recordings "1:02:12.3". */
	time(ns) {
		const cell = this.span / this.rows / 1e9;
		const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(cell) - 1e-9)));
		const seconds = (ns / 1e9).toFixed(digits);
		if (this.columns * this.span < 6e11)
			return seconds;
		const whole = Math.floor(Number(seconds)), two = (n) => String(n % 60).padStart(2, '0');
		const head = whole < 3600 ? `${Math.floor(whole / 60)}` :
			`${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60))}`;
		return `${head}:${two(whole)}${seconds.slice(String(whole).length)}`;
	}

	/* What the clock of the recording said: ns beyond 2^53 are exact, too. */
	clockTime(cell) {
		const ns = BigInt(this.start) + BigInt(this.begin(cell));
		const digits = String(ns).padStart(10, '0');
		return `${digits.slice(0, -9)}.${digits.slice(-9, -6)} s`;
	}

	text(first, last) {
		const unit = this.columns * this.span < 6e11 ? ' s' : '';
		return `${this.time(this.begin(first))}–${this.time(this.begin(last + 1))}${unit}`;
	}

	count(first, last) {
		return this.first[last + 1] - this.first[first];
	}

	/* ----------------------------------------------------------- ranges */

	/* From one place to another, whichever is earlier. */
	between(a, b) {
		return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
	}

	column(cell) {
		const first = cell - cell % this.rows;
		return [first, first + this.rows - 1];
	}

	/* What samples of a range add to each frame of the table. */
	weights([first, last]) {
		const self = new Float64Array(this.viewer.size()), {frame, weight} = this;
		for (let k = this.first[first]; k < this.first[last + 1]; k++)
			self[frame[k]] += weight[k];
		return {self, samples: this.count(first, last)};
	}

	choose(range, anchor) {
		this.anchor = anchor;
		this.open = false;
		this.chosen = range;
		this.show();
		this.viewer.choose(range && this.weights(range));
	}

	/* A click, or Enter: where a range begins, then where it ends. */
	click(place, extend) {
		if (this.anchor && (this.open || extend)) {
			this.choose(this.between(this.anchor, place), this.anchor);
		} else {
			this.anchor = place;
			this.open = true;
			this.show();
		}
	}

	/* First what was begun, then what was chosen; false if there was neither. */
	clear() {
		if (this.open) {
			this.anchor = null;
			this.open = false;
			this.show();
			return true;
		}
		if (!this.chosen)
			return false;
		this.choose(null, null);
		return true;
	}

	/* ---------------------------------------------------------- drawing */

	/* The outline of a range: up its first column, along, down to the last. */
	outline([first, last]) {
		const {rows} = this, row = first % rows, end = last % rows;
		const left = (first - row) / rows, right = (last - end) / rows;
		if (left === right)
			return `M${left} ${rows - row}V${rows - end - 1}h1V${rows - row}z`;
		return `M${left} ${rows - row}V0H${right}V${rows - end - 1}h1V${rows}` +
			`H${left + 1}V${rows - row}z`;
	}

	show() {
		const {chosen, open, viewer} = this, commas = (n) => viewer.commas(String(n));
		const outline = chosen ? this.outline(chosen) : '';
		this.shade.setAttribute('d', chosen && !open ?
			`M0 0H${this.columns}V${this.rows}H0z${outline}` : '');
		this.edge.setAttribute('d', outline);
		this.all.style.display = chosen ? '' : 'none';
		if (open)
			this.line.textContent = `From ${this.text(...this.anchor)}: click where it ends, or Esc`;
		else if (chosen)
			this.line.textContent = `${this.text(...chosen)} · ${commas(this.count(...chosen))} ` +
				`of ${commas(this.frame.length)} samples`;
		else
			this.line.textContent = 'Click where a range begins, then where it ends, or drag';
	}

	/* What the pointer or a key is on, and the range that it would make. */
	point(place) {
		const {viewer} = this, from = this.pressed || (this.open ? this.anchor : null);
		this.mark.setAttribute('d', place ? this.outline(from ? this.between(from, place) : place) : '');
		if (!place) {
			viewer.tell('', '');
			return;
		}
		const n = this.count(...place);
		viewer.tell(`${this.text(...place)}: ${viewer.commas(String(n))} sample${n === 1 ? '' : 's'}`,
			this.clock && `${this.clock} clock ${this.clockTime(place[0])}`);
	}

	/* Columns of whole pixels, and as many labels as there is room for. */
	resize(inner) {
		let wide = Math.min(WIDEST, (inner - LEFT) / this.columns);
		wide = this.columns * (wide >= 1 ? Math.floor(wide) : Math.max(wide, 0));
		this.map.setAttribute('width', wide);
		const labels = this.viewer.part('times').children;
		const every = Math.ceil(TICK * this.labels() / Math.max(1, wide));
		[...labels].forEach((label, i) => {
			label.style.display = i % every === 0 ? '' : 'none';
		});
	}

	/* How many labels there would be all along. */
	labels() {
		const second = this.viewer.part('times').children[1];
		return second ? 100 / parseFloat(second.getAttribute('x')) : 1;
	}

	/* ---------------------------------------------------- keys, pointer */

	placeAt(event) {
		const box = this.page.getBoundingClientRect();
		const bound = (x, n) => Math.min(n - 1, Math.max(0, Math.floor(x * n)));
		const column = bound((event.clientX - box.left) / box.width, this.columns);
		const y = (box.bottom - event.clientY) / box.height;
		const cell = column * this.rows + bound(y, this.rows);
		return y < 0 ? this.column(cell) : [cell, cell];
	}

	onDown(event) {
		if (event.button !== 0)
			return;
		this.pressed = event.pointerType === 'mouse' && !event.shiftKey && !this.open ?
			this.placeAt(event) : null;
		/* A drag may go on beside the map. */
		if (this.pressed)
			event.target.setPointerCapture(event.pointerId);
		this.map.focus({preventScroll: true});
		event.preventDefault();
	}

	/* The end of a drag, or a click. */
	onUp(event) {
		const place = this.placeAt(event), from = this.pressed;
		if (event.button !== 0)
			return;
		this.pressed = null;
		this.cursor = place[0];
		if (from && from[0] !== place[0])
			this.choose(this.between(from, place), from);
		else
			this.click(place, event.shiftKey);
		this.point(place);
	}

	onDouble(event) {
		const column = this.column(this.placeAt(event)[0]);
		this.choose(column, column);
	}

	/* Where an arrow leads. */
	moved(key) {
		const {cursor, rows} = this, last = this.first.length - 2;
		const to = cursor + {
			ArrowUp: 1, ArrowDown: -1, ArrowRight: rows, ArrowLeft: -rows,
		}[key];
		return to < 0 || to > last ? cursor : to;
	}

	onKey(event) {
		const {key} = event;
		if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.map)
			return;
		if (key.startsWith('Arrow')) {
			const from = this.anchor || [this.cursor, this.cursor];
			this.cursor = this.moved(key);
			if (event.shiftKey)
				this.choose(this.between(from, [this.cursor, this.cursor]), from);
		} else if (key === 'Enter' || key === ' ') {
			this.click([this.cursor, this.cursor], event.shiftKey);
		} else if (key === 'w') {
			this.click(this.column(this.cursor), event.shiftKey);
		} else if (key !== 'Escape' || !this.clear()) {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
		this.point([this.cursor, this.cursor]);
	}

	listen() {
		const {map} = this, hit = map.querySelector('.hit');
		hit.addEventListener('pointerdown', (event) => this.onDown(event));
		hit.addEventListener('pointerup', (event) => this.onUp(event));
		hit.addEventListener('pointermove', (event) => this.point(this.placeAt(event)));
		hit.addEventListener('pointerleave', () => {
			this.pressed = null;
			this.point(null);
		});
		hit.addEventListener('dblclick', (event) => this.onDouble(event));
		map.addEventListener('keydown', (event) => this.onKey(event));
		map.addEventListener('focus', () => this.point([this.cursor, this.cursor]));
		map.addEventListener('blur', () => this.point(null));
	}

	/* ---------------------------------------------------------- address */

	/* "12.34-15", in seconds from the start; empty for all. */
	get state() {
		return this.chosen ? `${this.begin(this.chosen[0]) / 1e9}-` +
			`${this.begin(this.chosen[1] + 1) / 1e9}` : '';
	}

	/* The weights of a range as it is in an address, null for none. */
	load(text) {
		const [from, to] = (text || '').split('-').map((s) => Math.round(1e9 * parseFloat(s)));
		this.chosen = from < to && to < Infinity ? [this.cellAt(from), this.cellAt(to - 1)] : null;
		this.anchor = this.chosen && [this.chosen[0], this.chosen[0]];
		this.open = false;
		this.show();
		return this.chosen && this.weights(this.chosen);
	}
}

/* For flame.js: a promise of the heat map, whose ranges viewer.choose() gets. */
root.heatMap = async (viewer) =>
	new Heat(viewer, loadSamples(await viewer.read('samples')));
})();
