/* calltree.js - stacks as a tree whose rows open and close. */

/* The same panel with a row for each frame whose caller's row is open. */
class CallTree extends FunctionTable {
	constructor() {
		super();
		this.filter.style.display = 'none';
		this.table.setAttribute('role', 'treegrid');
		this.scroller.setAttribute('aria-label', 'Call tree');
		this.open = new Set(findKeys(full, state.open));
	}

	/* What a frame calls, the widest first. */
	kids(i) {
		const kids = [];
		for (let c = i + 1; c < full.end[i]; c = full.end[c]) {
			if (full.total(c) > 0 || full.totalBefore(c) > 0)
				kids.push(c);
		}
		return kids.sort((a, b) => full.total(b) - full.total(a) || a - b);
	}

	fill() {
		const all = full.all, todo = this.kids(0).reverse();
		const mark = (i) => (full.end[i] === i + 1 ? '\u2003' : this.open.has(i) ? '▾ ' : '▸ ');
		this.columns = [
			['total', 'Total', null, (i) => amount(exactTotal(full, i))],
			['total', '%', null, (i) => percent(full.total(i), all), (i) => full.total(i) / all],
			['self', 'Self', null, (i) => amount(Math.round(full.self[i]))],
			['self', '%', null, (i) => percent(full.self[i], all), (i) => full.self[i] / all],
			...(cfg.ratio ? [['by', cfg.ratio.unit, null, (i) => ratioText(ratioOf(full, i))]] : []),
			...(isDiff ? [['by', 'Change', null, (i) => signed(changeOf(full, i), all)]] : []),
			['name', 'Call tree', null, (i) =>
				'\u2003'.repeat(Math.min(60, full.depth[i] - 1)) + mark(i) + shown(full.name[i])],
		];
		this.list = [];
		while (todo.length > 0) {
			const i = todo.pop();
			this.list.push(i);
			if (this.open.has(i))
				todo.push(...this.kids(i).reverse());
		}
		this.note.textContent = `counts in ${cfg.unit}; ` +
			'arrows open and close, p opens the widest path, Enter zooms in';
		this.table.setAttribute('aria-rowcount', this.list.length + 1);
		this.heading('', false);
		this.draw();
	}

	describeRow(row, i) {
		row.title = shown(full.name[i]);
		row.setAttribute('aria-level', full.depth[i]);
		if (full.end[i] > i + 1)
			row.setAttribute('aria-expanded', String(this.open.has(i)));
		else
			row.removeAttribute('aria-expanded');
	}

	noteOn(i) {
		return `${shown(full.name[i])}: ${percent(full.total(i), full.all)}, self ${percent(full.self[i], full.all)}`;
	}

	/* Open or close rows, and go to one of them. */
	unfold(frames, isOpen, at) {
		for (const i of frames) {
			if (isOpen)
				this.open.add(i);
			else
				this.open.delete(i);
		}
		state.open = [...this.open].slice(0, 300).map((i) => pathKey(full, i));
		this.fill();
		this.at = Math.max(0, this.list.indexOf(at));
		this.reveal();
		update();
	}

	/* A click opens or closes. */
	choose(row) {
		const i = this.list[row];
		if (i !== undefined && full.end[i] > i + 1)
			this.unfold([i], !this.open.has(i), i);
	}

	onKey(event) {
		const i = this.list[this.at];
		if (event.key === 'ArrowRight' && full.end[i] > i + 1) {
			this.unfold([i], true, i);
		} else if (event.key === 'ArrowLeft') {
			const to = this.open.has(i) || full.parent[i] === 0 ? i : full.parent[i];
			this.unfold([to], false, to);
		} else if (event.key === 'p') {
			const path = [];
			let last = i;
			for (let kids = [i]; kids.length > 0; kids = this.kids(last)) {
				[last] = kids;
				path.push(last);
			}
			this.unfold(path.slice(0, -1), true, last);
		} else if (event.key === 'Enter' && event.target === this.scroller) {
			if (view !== full)
				change({focus: null, reversed: false});
			state.table = '';
			zoomTo(i);
		} else {
			super.onKey(event);
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
