/* draw.js - elements for what is visible, and no others. */

const colours = cfg.colours.split(' ');
const isDiff = cfg.counts === 2 && !cfg.ratio;
const links = new Map((cfg.attr || []).map((a) => [a[0], a]));

let maxChange = 0;
let edition = 1;       // of the titles: they change when the tree does
let width = cfg.drawn;
let rowsAtTop = cfg.rows, rows = cfg.rows, lowest = 0;
let live = new Map();  // frame -> its element
let pool = [];
let current = null;    // the frame that has, or would get, the focus
let held = false;      // whether the focus is to be on it again
let hovered = null;    // the frame under the pointer
let boxes = [];        // all frames that are wide enough to see, for the keys
let slivers = [];      // and those that are not: runs of narrower ones

const inner = () => Math.max(1, width - 2 * PAD);

function make(tag, attributes, parent, text) {
	const element = document.createElementNS(SVG, tag);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (text !== undefined)
		element.textContent = text;
	if (parent)
		parent.append(element);
	return element;
}

/* As diffcolour.c: what was tested is strong or pale. */
function stepOf(tree, frame) {
	const change = seenChange(tree, frame);
	const verdict = state.diff === 'judged' && verdictOn(tree, frame);
	const [low, high] = !verdict ? [1, SAME] : isWeak(verdict) ? [3, 3] : [7, SAME];
	if (change === 0 || maxChange <= 0)
		return SAME;
	const steps = Math.ceil(SAME * Math.sqrt(Math.abs(change) / maxChange));
	return SAME + Math.sign(change) * Math.min(high, Math.max(low, steps));
}

function colourOf(frame) {
	const name = view.nameOf(frame);
	if (name === names.length - 1)
		return cfg.root;
	return isDiff ? stepOf(view, frame) : cfg.ratio ? ratioStep(view, frame) : shades[name];
}

function findMaxChange() {
	maxChange = 0;
	if (!isDiff)
		return;
	for (let i = 1; i < full.name.length; i++)
		maxChange = Math.max(maxChange, Math.abs(seenChange(full, i)));
	for (const kid of view instanceof Merged ? view.kidsOf(view.top) : [])
		maxChange = Math.max(maxChange, Math.abs(seenChange(view, kid)));
}

const rowTop = (depth) => (state.inverted ? depth * cfg.row :
	-(depth + 1) * cfg.row);

/* Between the edge of a frame and its label, px: a fixed part of the width. */
const padding = () => 3 / (cfg.drawn - 2 * PAD) * inner();

/* The label of a frame: its name, cut to fit, and its change or ratio. */
function labelsOf(frame, w) {
	const cells = Math.floor((w * inner() - 2 * padding()) / cfg.cell);
	let by = view.parentOf(frame) !== null ? asideOf(frame) : '';
	if (cells < by.length + 4)
		by = '';
	return {label: fit(textOf(view, frame), by ? cells - by.length - 1 : cells), by};
}

/* Where a frame is, as strings. */
function placeOf(depth, x, w) {
	return {
		x: +(100 * x).toFixed(4) + '%', w: +(100 * w).toFixed(4) + '%',
		y: rowTop(depth),
		tx: +(100 * (x + 3 / (cfg.drawn - 2 * PAD))).toFixed(3) + '%',
		ty: +(rowTop(depth) + cfg.row / 2 + cfg.font * 0.33).toFixed(1),
		bx: +(100 * (x + w - 3 / (cfg.drawn - 2 * PAD))).toFixed(3) + '%',
	};
}

/* All that is to be seen of a frame, as strings. */
function lookOf(frame, depth, x, w, isCaller) {
	const colour = colourOf(frame), value = colours[colour] || 'c1bfc0';
	const name = view.nameOf(frame);
	let look = 'c' + colour;
	if (isCaller)
		look += ' fade';
	look += foundClass(name);
	if (isDiff && (view.totalBefore(frame) === 0 || view.total(frame) === 0))
		look += ' one';
	return Object.assign(placeOf(depth, x, w), labelsOf(frame, w), {
		look, fill: '#' + value.slice(0, 6), ink: value.length > 6 ? '#fff' : '',
	});
}

/* The same above a canvas, which has the frame itself. */
const lookAbove = (depth, x, w) => Object.assign(placeOf(depth, x, w),
	{look: 'above', label: '', by: '', fill: 'none', ink: ''});

/* What is written at the right of a frame: a change, "+3.2%", its ratio, or nothing. */
function asideOf(frame) {
	if (cfg.ratio)
		return ratioText(ratioOf(view, frame));
	if (!isDiff)
		return '';
	const by = 100 * seenChange(view, frame) / full.all;
	return Math.abs(by) < 0.05 ? '' : (by > 0 ? '+' : '') + rounded(by, 1) + '%';
}

function linkOf(frame) {
	const link = links.get(view.nameOf(frame));
	return link && link[2] ? link : null;
}

/* An element for a frame, an old one if there is one to spare. */
function newElement(frame) {
	const link = linkOf(frame);
	if (!link && pool.length > 0)
		return Object.assign(pool.pop(), {edition: 0});
	const g = make(link ? 'a' : 'g', link ?
		{href: link[2], target: link[3] || '_top', rel: 'noopener'} : {});
	const title = make('title', {}, g);
	const rect = make('rect', {height: Math.max(1, cfg.row - 1)}, g);
	return {g, title, rect, text: null, by: null, now: {}, edition: 0};
}

/* One of an element's lines of text: its name, or its change or ratio. */
function setText(element, which, content, x, y, ink) {
	let text = element[which];
	if (content === '') {
		if (text)
			text.g.remove();
		element[which] = null;
		return;
	}
	if (!text) {
		text = element[which] = {g: make('text', {}, element.g)};
		if (which === 'by')
			text.g.setAttribute('text-anchor', 'end');
	}
	if (text.x !== x)
		text.g.setAttribute('x', text.x = x);
	if (text.y !== y)
		text.g.setAttribute('y', text.y = y);
	if (text.content !== content)
		text.g.textContent = text.content = content;
	if ((text.ink || '') !== ink) {
		text.ink = ink;
		if (ink)
			text.g.setAttribute('fill', ink);
		else
			text.g.removeAttribute('fill');
	}
}

/* Bring an element up to date; only what differs touches the document. */
function show(element, frame, look) {
	const {now, rect} = element;
	if (now.look !== look.look)
		element.g.setAttribute('class', now.look = look.look);
	if (element.edition !== edition) {
		const link = links.get(view.nameOf(frame));
		element.title.textContent = link && link[1] || titleOf(view, frame);
		element.edition = edition;
	}
	if (now.x !== look.x)
		rect.setAttribute('x', now.x = look.x);
	if (now.w !== look.w)
		rect.setAttribute('width', now.w = look.w);
	if (now.y !== look.y)
		rect.setAttribute('y', now.y = look.y);
	if (now.fill !== look.fill)
		rect.setAttribute('fill', now.fill = look.fill);
	setText(element, 'text', look.label, look.tx, look.ty, look.ink);
	setText(element, 'by', look.by, look.bx, look.ty, look.ink);
}

/*
 * Take over what is drawn already, which is what svgdraw.c found wide enough
 * at the width it drew for.
 */
function adopt() {
	const elements = frames.querySelectorAll(':scope > g:not([data-fg]), :scope > a');
	const found = [], want = inner();
	const all = view.all, narrow = all * cfg.min / want;
	view.visit(view.top, 0.5 * cfg.min / want, (frame, depth, x, w, isCaller) => {
		const count = view.total(frame);
		if (frame === 0 || (count >= narrow && count / all * want >= NARROW))
			found.push([frame, depth, x, w, isCaller]);
	});
	if (isSaved || found.length !== elements.length || found.length > SMALL) {
		elements.forEach((g) => g.remove());
		return;
	}
	found.forEach(([frame, ...place], i) => {
		const g = elements[i], look = lookOf(frame, ...place);
		const [text, by] = g.querySelectorAll('text');
		const old = (line, x) => line ?
			{g: line, content: line.textContent, x, y: look.ty, ink: look.ink} : null;
		live.set(frame, {
			g, title: g.firstChild, rect: g.querySelector('rect'), now: look, edition,
			text: old(text, look.tx), by: old(by, look.bx),
		});
		elementOf.set(g, frame);
	});
}

const elementOf = new WeakMap();

/* Paths for the frames that have no element: one for each colour. */
class Paths {
	constructor() {
		this.paths = new Map();
		this.inner = inner();
	}

	add({frame, depth, x, w}) {
		const colour = colourOf(frame), look = `c${colour}${foundClass(view.nameOf(frame))}`;
		const wide = Math.round(10 * w * this.inner) / 10;
		/* The gap that other frames have as a border. */
		const gap = wide > 2 ? 0.6 : 0;
		const d = `M${Math.round(10 * x * this.inner) / 10} ${rowTop(depth)}h${wide - gap}` +
			`v${Math.max(1, cfg.row - 1)}h${gap - wide}z`;
		const path = this.paths.get(look);
		if (path)
			path.d.push(d);
		else
			this.paths.set(look, {look, colour, d: [d]});
	}

	draw() {
		const g = part('slivers') ||
			make('g', {'data-fg': 'slivers', 'aria-hidden': 'true'}, frames);
		const list = [...this.paths.values()].map((path) => make('path', {
			'class': path.look, d: path.d.join(''),
			fill: '#' + (colours[path.colour] || 'c1bfc0').slice(0, 6),
		}));
		g.replaceChildren(...list);
		frames.append(g);
	}
}

function release(element) {
	element.g.remove();
	element.g.removeAttribute('tabindex');
	if (element.g.localName === 'g')
		pool.push(element);
}

/* All boxes of the view as it is zoomed, in the window or not. */
function collect() {
	const narrow = NARROW / inner();
	boxes = [];
	slivers = [];
	rows = 1;
	lowest = 0;
	view.visit(zoomed(), SLIVER / inner(), (frame, depth, x, w, isCaller) => {
		if (depth >= rows)
			rows = depth + 1;
		else if (depth < lowest)
			lowest = depth;
		(w < narrow && frame !== view.top ? slivers : boxes).push({frame, depth, x, w, isCaller});
	});
}

/**
 * The rows to draw: all of a small picture, of others what is near the window.
 * @returns {[number, number]}
 */
function rowsInSight() {
	if (boxes.length + slivers.length <= SMALL || ui.printing)
		return [-Infinity, Infinity];
	return rowsAround((ui.bottom - ui.topmost) / 2);
}

/**
 * The rows in the window, and those within some px of it.
 * @returns {[number, number]}
 */
function rowsAround(spare) {
	const base = Number(frames.getAttribute('y'));
	const from = (ui.topmost - spare - base) / cfg.row, to = (ui.bottom + spare - base) / cfg.row;
	return state.inverted ? [Math.floor(from), Math.ceil(to)] : [Math.floor(-to) - 1, Math.ceil(-from)];
}

/* Where there is no canvas: the boxes in sight that get an element; paths have the others. */
function chooseBoxes(paths) {
	const [first, last] = ui.drawn, chosen = [];
	const few = boxes.length <= SMALL, least = LABELLED * cfg.cell / inner();
	for (const box of boxes) {
		if (box.frame !== current && (box.depth < first || box.depth > last))
			continue;
		if (few || box.w >= least || box.frame === current || links.has(view.nameOf(box.frame)))
			chosen.push(box);
		else
			paths.add(box);
	}
	for (const box of slivers) {
		if (box.depth >= first && box.depth <= last)
			paths.add(box);
	}
	return chosen;
}

/* Give each box an element.  Those that are there stay; those of frames that went are used again. */
function showBoxes(chosen, above) {
	const old = live;
	live = new Map();
	for (const box of chosen) {
		live.set(box.frame, old.get(box.frame));
		old.delete(box.frame);
	}
	old.forEach(release);
	let next = frames.firstElementChild;
	for (const box of chosen) {
		let element = live.get(box.frame);
		if (!element) {
			element = newElement(box.frame);
			live.set(box.frame, element);
			elementOf.set(element.g, box.frame);
		}
		show(element, box.frame, above ? lookAbove(box.depth, box.x, box.w) :
			lookOf(box.frame, box.depth, box.x, box.w, box.isCaller));
		if (element.g === next)
			next = next.nextElementSibling;
		else
			frames.insertBefore(element.g, next);
	}
	pool.length = Math.min(pool.length, SMALL);
}

/* Draw the rows in sight: on a canvas where there are many boxes, with elements around the current one. */
function render() {
	ui.drawn = rowsInSight();
	ui.painted = isForCanvas();
	holdFocus();
	if (ui.painted) {
		part('slivers')?.remove();
		ui.drawn = rowsOfCanvas();
		paint();
		showBoxes(around(), true);
	} else {
		const paths = new Paths();
		if (canvas)
			canvas.box.style.display = 'none';
		showBoxes(chooseBoxes(paths), false);
		paths.draw();
	}
	drawAxis();
	outline(hovered);
	keepFocus();
}

function draw() {
	collect();
	layOut();
	render();
}

/* After the window moved: draw what came in sight, before its edge is reached. */
function follow() {
	if (!ui.drawn || ui.drawn[0] === -Infinity)
		return;
	const [first, last] = rowsAround((ui.bottom - ui.topmost) * (ui.painted ? 0.1 : 0.3));
	const from = ui.painted ? Math.max(first, lowest) : first, to = ui.painted ? Math.min(last, rows - 1) : last;
	if (from < ui.drawn[0] || to > ui.drawn[1])
		render();
}

const zoomed = () => (state.zoom === null ? view.top : state.zoom);
