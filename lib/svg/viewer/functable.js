/* functable.js - the table of all functions. */

const ROW = 20;   // height of a row of the table, px

/* Columns: key, heading, value to sort by, and text. */
function tableColumns() {
	const sums = functionsOf(full), all = full.all;
	const count = (column) => (f) => amount(Math.round(column[f]));
	const share = (column) => (f) => percent(column[f], all);
	const part = (column) => (f) => column[f] / all;
	const word = !isDiff ? 'Total' : state.ghost ? 'Before' : 'After';
	/** @type {any[][]} */
	const columns = [
		['self', 'Self', (f) => sums.self[f], count(sums.self)],
		['self', '%', null, share(sums.self), part(sums.self)],
		['total', word, (f) => sums.total[f], count(sums.total)],
		['total', '%', null, share(sums.total), part(sums.total)],
	];
	if (cfg.ratio) {
		const ratio = (f) => quotient(sums.totalBefore[f], sums.total[f]);
		columns.push(
			['was', cfg.ratio.over, (f) => sums.totalBefore[f], (f) => overText(sums.totalBefore[f])],
			['ratio', cfg.ratio.unit, (f) => ratio(f) || 0, (f) => ratioText(ratio(f))]);
	} else if (isDiff) {
		const sign = state.ghost ? -1 : 1;
		const byOwn = (f) => sign * (sums.self[f] - sums.selfBefore[f]);
		const by = (f) => sign * (sums.total[f] - sums.totalBefore[f]);
		const ratio = (f) => (sign > 0 ? sums.total[f] / sums.totalBefore[f] : sums.totalBefore[f] / sums.total[f]);
		columns.push(
			['was', state.ghost ? 'After' : 'Before', (f) => sums.totalBefore[f], count(sums.totalBefore)],
			['own', 'Self by', byOwn, (f) => signed(byOwn(f), all)],
			['by', 'Total by', by, (f) => signed(by(f), all)],
			['ratio', 'Ratio', (f) => (Number.isNaN(ratio(f)) ? 1 : ratio(f)), (f) =>
				(Number.isFinite(ratio(f)) ? rounded(ratio(f), 2) : ratio(f) === Infinity ? 'new' : '')]);
		if (cfg.verdicts) {
			const found = verdictsByFunction();
			const verdict = (f) => (!found.has(f) ? '' : isWeak(found.get(f)) ? 'within noise' : found.get(f)[1]);
			columns.push(['verdict', 'Verdict', verdict, verdict],
				['interval', 'Interval', null, (f) => intervalText(found.get(f))]);
		}
	} else {
		columns.push(['class', 'Class', classOf, classOf]);
	}
	columns.push(['module', 'Module', (f) => moduleOf(shown(f)), (f) => moduleOf(shown(f))]);
	columns.push(['name', 'Function', shown, shown]);
	return columns;
}

/* What folddiff found about the widest place of each function. */
function verdictsByFunction() {
	const found = new Map(), widest = new Map();
	for (let i = 1; i < full.name.length; i++) {
		const verdict = verdictOn(full, i), f = baseOf(full.name[i]);
		const wide = Math.max(full.total(i), full.totalBefore(i));
		if (verdict && !(widest.get(f) >= wide)) {
			widest.set(f, wide);
			found.set(f, verdict);
		}
	}
	return found;
}

/* By how much it changed, from at least to at most: "1.2 to 1.5 times". */
const intervalText = (verdict) => (verdict && verdict[2] !== '' ? `${verdict[2]} to ${verdict[3]} times` : '');

/* A bar that is as long as a share. */
const barOf = (part) => (part >= 0.015 ?
	`linear-gradient(to left,var(--share) ${Math.round(100 * Math.min(1, part))}%,transparent 0)` : '');

/* The legend's word for a function's colour. */
function classOf(f) {
	const entry = entries.find(({key}) => key !== null && cfg.keys && key === cfg.keys[shades[f]]);
	return entry ? entry.text.replace(/ [\d.]+%$/, '') : '';
}

/* A table of a picture: state.table is what it is sorted by, with "-" backwards. */
class FunctionTable {
	constructor() {
		this.panel = html('div', {'class': 'panel', 'data-fg': 'functions'}, ui.layer);
		const bar = html('div', {'class': 'panelbar'}, this.panel);
		this.filter = html('input', {
			type: 'search', placeholder: 'Filter (regex)', 'aria-label': 'Filter functions by regular expression',
			spellcheck: 'false', autocomplete: 'off', 'data-fg': 'filter',
		}, bar);
		this.note = html('span', {'class': 'count', role: 'status'}, bar);
		html('button', {type: 'button', title: 'close'}, bar, 'Close')
			.addEventListener('click', () => toggleTable(state.table));
		this.scroller = html('div', {'class': 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Functions'}, this.panel);
		this.table = html('table', {}, this.scroller);
		this.head = html('tr', {}, html('thead', {}, this.table));
		this.body = html('tbody', {}, this.table);
		this.rows = [];
		this.at = 0;
		this.listen();
	}

	listen() {
		this.scroller.addEventListener('scroll', () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.scroller);
		this.panel.addEventListener('keydown', (event) => this.onKey(event));
		this.filter.addEventListener('input', () => {
			state.rows = this.filter.value;
			this.at = 0;
			update();
		});
		this.body.addEventListener('click', (event) => {
			const row = event.target.closest('tr[data-row]');
			if (row)
				this.choose(Number(row.dataset.row));
		});
		this.head.addEventListener('click', (event) => {
			const key = event.target.closest('th')?.dataset.key;
			if (key)
				this.sortBy(key);
		});
	}

	onKey(event) {
		const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
		const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
			Home: -1e9, End: 1e9}[event.key];
		if (event.target.localName === 'button' || event.target.localName === 'th')
			return;
		if (event.key === 'Enter') {
			this.choose(this.at);
		} else if (event.target === this.filter && (step === undefined || Math.abs(step) > 1e6)) {
			return;
		} else if (step !== undefined) {
			this.at = Math.max(0, Math.min(this.list.length - 1, this.at + step));
			this.reveal();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	sortBy(key) {
		state.table = state.table === key ? '-' + key : key;
		this.at = 0;
		ui.step = true;
		update();
	}

	choose(row) {
		if (row < this.list.length)
			change({focus: this.list[row], reversed: false, table: ''});
	}

	/* The functions to show, in order, and the headings. */
	fill() {
		const columns = this.columns = tableColumns(), sums = functionsOf(full);
		const backwards = state.table[0] === '-', key = state.table.replace('-', '');
		const [, , value] = columns.find((column) => column[0] === key) || columns[0];
		const regex = state.rows ? compile(state.rows) : null;
		const list = this.list = [];
		let n = 0;
		for (let f = 0; f < names.length - 1; f++) {
			if (sums.places[f] === 0 || baseOf(f) !== f)
				continue;
			n++;
			if (!regex || regex.test(shown(f)))
				list.push(f);
		}
		const values = new Map(list.map((f) => [f, value(f)]));
		const turn = backwards ? -1 : 1;
		const compare = typeof value(0) === 'string' ?
			(a, b) => (a < b ? -turn : a > b ? turn : 0) : (a, b) => turn * (b - a);
		list.sort((a, b) => compare(values.get(a), values.get(b)) || a - b);
		this.filter.value = state.rows;
		this.filter.setAttribute('aria-invalid', String(state.rows !== '' && !regex));
		this.note.textContent = `${list.length === n ? n : `${list.length} of ${n}`} functions · counts in ${cfg.unit}`;
		this.table.setAttribute('aria-rowcount', String(list.length + 1));
		this.heading(key, backwards);
		this.scroller.scrollTop = Math.min(this.scroller.scrollTop, this.at * ROW);
		this.draw();
	}

	heading(key, backwards) {
		this.head.replaceChildren(...this.columns.map(([which, text, value]) => {
			const th = html('th', {scope: 'col', 'data-key': which, 'class': isNumber(which) ? 'number' : which});
			if (value) {
				html('button', {type: 'button'}, th, text);
				if (which === key)
					th.setAttribute('aria-sort', isNumber(key) !== backwards ? 'descending' : 'ascending');
			} else {
				th.textContent = text;
			}
			return th;
		}));
		this.before = html('tr', {'aria-hidden': 'true'});
		this.after = html('tr', {'aria-hidden': 'true'});
		html('td', {colspan: this.columns.length}, this.before);
		html('td', {colspan: this.columns.length}, this.after);
		this.body.replaceChildren(this.before, this.after);
		this.rows = [];
	}

	/* Rows for what can be seen: their elements are used again. */
	draw() {
		const n = Math.min(this.list.length, Math.ceil((this.scroller.clientHeight || 600) / ROW) + 2);
		const first = Math.max(0, Math.min(this.list.length - n, Math.floor(this.scroller.scrollTop / ROW)));
		while (this.rows.length < n) {
			const row = html('tr', {});
			for (const [which] of this.columns)
				html('td', {'class': isNumber(which) ? 'number' : which}, row);
			this.after.before(row);
			this.rows.push(row);
		}
		this.rows.splice(n).forEach((row) => row.remove());
		this.before.style.height = first * ROW + 'px';
		this.after.style.height = (this.list.length - first - n) * ROW + 'px';
		this.rows.forEach((row, k) => {
			const place = first + k, f = this.list[place];
			row.dataset.row = place;
			row.setAttribute('aria-rowindex', place + 2);
			row.setAttribute('aria-selected', String(place === this.at));
			this.columns.forEach(([, , , text, part], c) => {
				row.children[c].textContent = text(f);
				if (part)
					row.children[c].style.background = barOf(part(f));
			});
			this.describeRow(row, f);
		});
	}

	describeRow(row, f) {
		row.title = shown(f);
	}

	noteOn(f) {
		return `${this.at + 1} of ${this.list.length}: ${shown(f)}, self ${percent(functionsOf(full).self[f], full.all)}`;
	}

	/* Bring the chosen row into sight, below the headings. */
	reveal() {
		const top = this.at * ROW, high = this.scroller.clientHeight - 2 * ROW;
		if (top < this.scroller.scrollTop)
			this.scroller.scrollTop = top;
		else if (top > this.scroller.scrollTop + high)
			this.scroller.scrollTop = top - high;
		this.draw();
		const f = this.list[this.at];
		this.note.textContent = f === undefined ? '' : this.noteOn(f);
	}
}

const isNumber = (key) => !['class', 'module', 'name', 'verdict', 'interval', 'source'].includes(key);

/* Show the table, or take it away, as the state has it. */
function showTable() {
	if (state.table === '') {
		ui.table?.panel.remove();
		ui.table = null;
		return;
	}
	const kind = state.table === 'tree' ? CallTree : state.table === 'source' ? SourceTable : FunctionTable;
	if (ui.table && ui.table.constructor !== kind) {
		ui.table.panel.remove();
		ui.table = null;
	}
	const tree = ui.table?.tree, isNew = !ui.table;
	ui.table = ui.table || new kind();
	placeTools();
	const sorted = [state.table, state.rows, state.source].join(' ');
	if (tree !== full || ui.table.sorted !== sorted) {
		ui.table.tree = full;
		ui.table.sorted = sorted;
		ui.table.fill();
	}
	if (isNew)
		ui.table.scroller.focus({preventScroll: true});
}

/* Show the table, sorted by something, or the call tree; or none. */
function toggleTable(what) {
	const kind = (table) => (['tree', 'source'].includes(table) ? table : 'functions');
	const isShown = state.table !== '' && kind(state.table) === kind(what);
	state.table = isShown ? '' : what;
	ui.step = true;
	update();
}
