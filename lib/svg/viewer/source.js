/* source.js - the source of a function, with what each line costs. */

let sources = null;   // of names with a line: what is known of their functions

/* What --source embedded; svgsource.h has the format. */
function loadSource(reader) {
	if (reader.number() !== 1)
		throw new Error('unknown version of the source');
	const nfiles = reader.number(), n = reader.number(), files = [];
	for (let i = 0; i < nfiles; i++) {
		const file = {path: reader.text(), text: new Map()}, ranges = reader.number();
		for (let k = 0, line = 1; k < ranges; k++) {
			line += reader.number();
			for (let rest = reader.number(); rest > 0; rest--)
				file.text.set(line++, reader.text().replace(HARMFUL, '\ufffd'));
		}
		files.push(file);
	}
	sources = new Map();
	for (let i = 0, name = -1, source = null; i < n; i++) {
		name += reader.number();
		const line = reader.number();
		if (line % 2 === 1)
			source = {file: files[reader.number()], lines: new Map(), title: shown(name).replace(/:\d+(\)?)$/, '$1')};
		const at = Math.floor(line / 2);
		source.lines.set(at, [...source.lines.get(at) || [], name]);
		sources.set(name, source);
	}
}

/* Lines of a function: those with samples, and those that are embedded beside them. */
function linesOf(source) {
	const {file, lines} = source, sums = functionsOf(full), list = [];
	const add = (line) => {
		const own = [...new Set((lines.get(line) || []).map(baseOf))];
		const sum = (column) => own.reduce((all, f) => all + column[f], 0);
		list.push({
			line, names: own, text: file.text.get(line) || '', self: sum(sums.self), total: sum(sums.total),
			was: isDiff ? sum(sums.totalBefore) : 0,
		});
	};
	const known = [...lines.keys()].sort((a, b) => a - b), first = known[0] - 5, last = known[known.length - 1] + 5;
	const shownLines = new Set([...file.text.keys()].filter((line) => line >= first && line <= last).concat(known));
	[...shownLines].sort((a, b) => a - b).forEach((line, i, all) => {
		if (i > 0 && line > all[i - 1] + 1)
			list.push({line: 0, names: [], text: '⋯'});
		add(line);
	});
	return list;
}

/* The same panel with a row for each line. */
class SourceTable extends FunctionTable {
	constructor() {
		super();
		this.filter.style.display = 'none';
		this.scroller.setAttribute('aria-label', 'Source');
	}

	fill() {
		const all = full.all, source = sources.get(names.indexOf(state.source)) || sources.get(hottestName());
		const of = (column, text) => (row) => (row.names.length > 0 ? text(row[column]) : '');
		this.columns = [
			['line', 'Line', null, (row) => String(row.line || '')],
			['self', 'Self', null, of('self', (n) => amount(Math.round(n)))],
			['self', '%', null, of('self', (n) => percent(n, all))],
			['total', 'Total', null, of('total', (n) => amount(Math.round(n)))],
			['total', '%', null, of('total', (n) => percent(n, all))],
			...(isDiff ? [['by', 'Change', null, (row) => (row.names.length > 0 ?
				signed((row.total - row.was) * (state.ghost ? -1 : 1), all) : '')]] : []),
			['source', source.title, null, (row) => row.text],
		];
		const list = this.list = linesOf(source);
		const most = list.reduce((best, row, i) => (row.total > (list[best].total || 0) ? i : best), 0);
		if (this.of !== source)
			this.at = most;
		this.of = source;
		this.most = list[most].total || 1;
		this.table.setAttribute('aria-rowcount', String(list.length + 1));
		this.heading('', false);
		this.reveal();
	}

	/* A bar for the line's share of that of the widest line. */
	describeRow(row, {names: own, total}) {
		const part = own.length > 0 ? Math.round(100 * total / this.most) : 0;
		row.lastChild.style.background = part > 0 ?
			`linear-gradient(to right,var(--share) ${part}%,transparent ${part}%)` : '';
	}

	noteOn({line, names: own, self, total}) {
		const where = `${this.of.file.path.replace(HARMFUL, '\ufffd')}${line ? ':' + line : ''}`;
		return own.length === 0 ? where :
			`${where}: ${percent(total, full.all)}, self ${percent(self, full.all)}; Enter shows its callers and callees`;
	}

	choose(row) {
		const [name] = this.list[row].names;
		this.at = row;
		if (name === undefined)
			this.reveal();
		else
			change({focus: name, reversed: false, table: ''});
	}
}

/* The name with source that has most of its own. */
function hottestName() {
	const {self} = functionsOf(full);
	return [...sources.keys()].reduce((best, name) => (self[baseOf(name)] > self[baseOf(best)] ? name : best));
}

/* The name whose source is wanted: what is pointed at, chosen in a table, or the hottest. */
function nameWanted() {
	const row = ui.table?.list[ui.table.at], frame = target();
	if (row !== undefined)
		return state.table === 'tree' ? full.name[row] : row;
	if (sandwich())
		return state.focus;
	if (frame !== null && !isRoot(view, frame))
		return view.nameOf(frame);
	return hottestName();
}

function showSource(name) {
	if (!sources.has(name)) {
		say(`no source of ${shown(name)}`);
		return;
	}
	state.source = names[name];
	state.table = 'source';
	ui.step = true;
	update();
}

/* Where there is source: its key, and with that its button. */
async function findSource() {
	if (!part('source'))
		return;
	loadSource(new Reader(await bytesOf('source')));
	if (sources.size > 0)
		actions.v = ['source of a function, with shares', () =>
			(state.table === 'source' ? toggleTable('source') : showSource(nameWanted()))];
}
