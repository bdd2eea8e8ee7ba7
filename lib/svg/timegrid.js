/* timegrid.js - the heat map that is the other face of the timeline. */
(() => {
'use strict';

/* From few samples to many; as in svgheat.c, time.css has those of dark pages. */
const COLOURS = ['#ffe7cb', '#fcc086', '#f2974d', '#e0701d', '#c64d00', '#a62e03', '#7f1a13', '#541317'];

/*
 * The other face of the strip, a heat map: a column is a round time, a second
 * if that fits, and its cells are parts of it, from the bottom to the top.
 */
class Grid {
	/** @param {Timeline} times @param {Viewer['make']} make */
	constructor(times, make) {
		const {tick, ticks} = times, all = tick * ticks, power = 10 ** Math.floor(Math.log10(all / 100));
		const span = all >= 20e9 && all <= 300e9 ? 1e9 : [1, 2, 5].map((n) => n * power).findLast((n) => n <= all / 100);
		this.times = times;
		this.rows = Math.max(8, Math.min(50, Math.floor(times.height / 4)));
		this.span = Math.max(1, Math.round(span / tick));   // of a column, in ticks
		this.cell = this.span / this.rows;
		/** @type {number|null|undefined} */
		this.drawn = undefined;   // the thread, null for all
		this.box = make('svg', {
			width: '100%', height: times.height, viewBox: `0 0 ${ticks / this.span} ${this.rows}`,
			preserveAspectRatio: 'none', 'pointer-events': 'none', 'shape-rendering': 'crispEdges',
		});
		this.levels = COLOURS.map((fill, i) => make('path', {'class': `h${i}`, fill}, this.box));
		this.shade = make('path', {'class': 'shade', 'fill-rule': 'evenodd'}, this.box);
		this.edge = make('path', {'class': 'range'}, this.box);
	}

	/* The cells from one time until another, as a shape of at most three parts. */
	/** @param {number} from @param {number} to */
	shape(from, to) {
		const {rows, cell} = this, first = Math.round(from / cell), last = Math.max(first + 1, Math.round(to / cell));
		/** @type {(x: number, a: number, b: number, wide: number) => string} */
		const part = (x, a, b, wide) => (a < b && wide > 0 ? `M${x} ${rows - b}h${wide}V${rows - a}h${-wide}z` : '');
		const x = Math.floor(first / rows), x2 = Math.floor(last / rows);
		return x === x2 ? part(x, first % rows, last % rows, 1) :
			part(x, first % rows, rows, 1) + part(x + 1, 0, rows, x2 - x - 1) + part(x2, 0, last % rows, 1);
	}

	/* The cells of all the time: a range only marks some of them. */
	drawCells() {
		const {times, cell, rows} = this, sums = new Map(), paths = COLOURS.map(() => '');
		let most = 0;
		for (const k of times.samples([0, times.ticks])) {
			const at = Math.floor(times.time[k] / cell), sum = (sums.get(at) || 0) + times.weight[k];
			sums.set(at, sum);
			most = Math.max(most, sum);
		}
		for (const [at, sum] of sums) {
			const level = Math.min(COLOURS.length - 1, Math.floor(COLOURS.length * sum / most));
			paths[level] += `M${Math.floor(at / rows)} ${rows - 1 - at % rows}h1v1h-1z`;
		}
		paths.forEach((d, i) => this.levels[i].setAttribute('d', d));
		this.drawn = times.only;
	}

	draw() {
		const {times, rows} = this;
		if (this.drawn !== times.only)
			this.drawCells();
		const chosen = times.chosen ? this.shape(...times.chosen) : '';
		this.shade.setAttribute('d', chosen && `M0 0H${times.ticks / this.span}V${rows}H0z${chosen}`);
		this.edge.setAttribute('d', chosen);
	}

	/* Where the cell begins that is at a part of the width and the height. */
	/** @param {number} x @param {number} y */
	tickAt(x, y) {
		const column = Math.floor(x * this.times.ticks / this.span), row = Math.floor((1 - y) * this.rows);
		return column * this.span + Math.max(0, Math.min(this.rows - 1, row)) * this.cell;
	}
}

/* For time.js, which follows. */
document.currentScript.closest('svg').timeGrid = Grid;
})();
