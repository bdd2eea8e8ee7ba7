/* canvas.js - the frames of a large picture: a canvas below a few elements. */

const PIXELS = 8e6;     // of a canvas at most: a larger one is scaled up
const WIDEST = 20;      // children of the current frame that get an element
const BESIDE = 5;       // frames on each side of it that do
const PROBED = ['fill', 'fillOpacity', 'opacity', 'stroke', 'strokeDasharray'];

/**
 * Where the canvas is, and its context; null until a picture is large.
 * @type {null | {box: SVGElement, element: HTMLCanvasElement, pen: CanvasRenderingContext2D | null,
 *   top: number, high: number, ratio: number, sharp: number}}
 */
let canvas = null;
let inks = new Map();   // look -> what the style sheet makes of it
let inksFor = '';       // the theme that it was asked in

/* Below the elements, which have the focus, links and what a screen reader reads. */
function makeCanvas() {
	const box = make('foreignObject', {'data-fg': 'canvas', 'data-made': '', 'aria-hidden': 'true', x: 0});
	const element = html('canvas', {style: 'display:block;margin:0;border:0;padding:0;max-width:none;max-height:none'},
		box);
	canvas = {box, element, pen: element.getContext('2d'), top: 0, high: 0, ratio: 0, sharp: 0};
	frames.before(box);
}

/* Whether the rows in sight are drawn on the canvas: not in print, and not where a browser has none. */
function isForCanvas() {
	const [first, last] = ui.drawn, most = table.name.length > MANY ? FEW : SMALL;
	let n = 0;
	if (ui.printing || boxes.length + slivers.length <= most)
		return false;
	for (const list of [boxes, slivers])
		n += list.reduce((sum, {depth}) => sum + (depth >= first && depth <= last ? 1 : 0), 0);
	if (n > most && !canvas)
		makeCanvas();
	return n > most && canvas.pen !== null;
}

/* The look of a frame as a number: colour, what found it, whether it calls the zoomed one, has one side only. */
function lookNumber({frame, isCaller}) {
	const name = view.nameOf(frame);
	const found = marks && marks[name] ? PINS + 1 : pins ? pins[name] : 0;
	const one = isDiff && (view.totalBefore(frame) === 0 || view.total(frame) === 0);
	return colourOf(frame) << 5 | found << 2 | (isCaller ? 2 : 0) | (one ? 1 : 0);
}

/* An element of that look, to ask the style sheet. */
function probe(look) {
	const colour = look >> 5, found = look >> 2 & 7, value = colours[colour] || 'c1bfc0';
	const g = make('g', {
		'data-fg': 'probe',
		'class': `c${colour}${look & 2 ? ' fade' : ''}${found > PINS ? ' hit' : found ? ` pin${found}` : ''}` +
			(look & 1 ? ' one' : ''),
	}, frames);
	make('rect', {fill: '#' + value.slice(0, 6)}, g);
	make('text', value.length > 6 ? {fill: '#fff'} : {}, g);
	return g;
}

/* Find out what the style sheet makes of looks that were not seen before. */
function findInks(looks) {
	const theme = `${isDark()}`;
	if (inksFor !== theme)
		inks.clear();
	inksFor = theme;
	const probes = looks.filter((look) => !inks.has(look)).map((look) => ({look, g: probe(look)}));
	for (const {look, g} of probes) {
		const rect = getComputedStyle(g.firstElementChild), text = getComputedStyle(g.lastElementChild);
		const [fill, fillOpacity, opacity, stroke, dashes] = PROBED.map((key) => rect[key]);
		inks.set(look, {
			fill, stroke, alpha: Number(opacity) * Number(fillOpacity), dashed: dashes !== 'none',
			ink: text.fill, inkAlpha: Number(text.fillOpacity), font: text.font,
		});
	}
	for (const {g} of probes)
		g.remove();
}

/* After the style of a class, or the theme, became another. */
function repaint() {
	inks.clear();
	if (ui.painted)
		paint();
}

/* Pixels of the screen for one of the picture, magnified by fingers or not. */
const sharpness = () => window.devicePixelRatio * (ui.scale || 1) * (window.visualViewport?.scale || 1);

/**
 * The rows of the canvas: as many in every view, so that its memory stays, around those in the window.
 * @returns {[number, number]}
 */
function rowsOfCanvas() {
	const high = window.innerHeight / (ui.scale || 1), [first, last] = rowsAround(0);
	const most = Math.ceil(1.5 * high / cfg.row) + 1;
	const n = Math.min(most, Math.max(1, Math.round(Number(frames.getAttribute('height')) / cfg.row)));
	const from = Math.round((first + last - n + 1) / 2), end = Math.max(rows, lowest + n);
	return [Math.max(lowest, Math.min(from, end - n)), Math.max(lowest, Math.min(from, end - n)) + n - 1];
}

/* Put the canvas where its rows are, as sharp as the screen. */
function placeCanvas() {
	const [from, to] = ui.drawn, base = Number(frames.getAttribute('y'));
	const top = base + rowTop(state.inverted ? from : to), high = (to - from + 1) * cfg.row;
	const sharp = sharpness(), ratio = Math.min(sharp, Math.sqrt(PIXELS / (width * high)));
	const {box, element, pen} = canvas, wide = Math.round(width * ratio), tall = Math.round(high * ratio);
	if (element.width !== wide || element.height !== tall || canvas.high !== high) {
		element.width = wide;
		element.height = tall;
		element.style.width = width + 'px';
		element.style.height = high + 'px';
		box.setAttribute('width', width);
		box.setAttribute('height', high);
	}
	if (canvas.top !== top)
		box.setAttribute('y', top);
	Object.assign(canvas, {top, high, ratio, sharp});
	pen.setTransform(1, 0, 0, 1, 0, 0);
	pen.clearRect(0, 0, wide, tall);
}

/* Draw boxes of one look, their edges on pixels of the screen. */
function paintBoxes(group, ink) {
	const {pen, ratio, top} = canvas, wide = inner() * ratio, left = PAD * ratio;
	const base = Number(frames.getAttribute('y')) - top, line = Math.max(1, Math.round(0.6 * ratio));
	pen.globalAlpha = ink.alpha;
	pen.fillStyle = ink.fill;
	for (const {depth, x, w} of group) {
		const y = Math.round((base + rowTop(depth)) * ratio);
		const high = Math.max(1, Math.round((base + rowTop(depth) + cfg.row) * ratio) - y - line);
		const from = Math.round(left + x * wide), to = Math.max(from + 1, Math.round(left + (x + w) * wide));
		/* The gap that other frames have as a border. */
		const gap = to - from > 4 * ratio ? line : to - from > 2 * ratio ? 0.6 * ratio : 0;
		pen.fillRect(from, y, to - from - gap, high);
		if (ink.dashed && to - from > 8 * ratio) {   // dashes would hide a narrower one
			pen.strokeStyle = ink.stroke;
			pen.lineWidth = line;
			pen.setLineDash([3 * ratio, 2 * ratio]);
			pen.strokeRect(from + line / 2, y + line / 2, to - from - gap - line, high - line);
		}
	}
}

/* The names of frames that have room for them. */
function paintLabels(list) {
	const {pen, ratio, top} = canvas, down = Number(frames.getAttribute('y')) - top;
	const pad = padding();
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	let last = null;
	for (const [box, ink] of list) {
		const {label, by} = labelsOf(box.frame, box.w);
		if (last !== ink) {
			pen.font = ink.font;
			pen.fillStyle = ink.ink;
			pen.globalAlpha = ink.inkAlpha;
			last = ink;
		}
		const y = down + rowTop(box.depth) + cfg.row / 2 + cfg.font * 0.33, x = PAD + box.x * inner();
		if (label) {
			pen.textAlign = 'left';
			pen.fillText(label, x + pad, y);
		}
		if (by) {
			pen.textAlign = 'right';
			pen.fillText(by, x + box.w * inner() - pad, y);
		}
	}
}

/* Draw the rows in sight. */
function paint() {
	const [first, last] = ui.drawn, groups = new Map(), labelled = [];
	const least = LABELLED * cfg.cell / inner();
	for (const list of [slivers, boxes]) {
		for (const box of list) {
			if (box.depth < first || box.depth > last)
				continue;
			const look = lookNumber(box), group = groups.get(look);
			if (group)
				group.push(box);
			else
				groups.set(look, [box]);
			if (box.w >= least)
				labelled.push([box, look]);
		}
	}
	findInks([...groups.keys()]);
	placeCanvas();
	canvas.pen.direction = 'ltr';
	for (const [look, group] of groups)
		paintBoxes(group, inks.get(look));
	paintLabels(labelled.map(([box, look]) => [box, inks.get(look)]));
	canvas.box.style.display = '';
}

/* Frames that get an element beside a canvas: the root, the zoomed one, those around the current one, and links. */
function around() {
	const here = boxes.find((box) => box.frame === current) || boxes.find((box) => box.frame === zoomed()) || boxes[0];
	const isKid = (box) => Math.abs(box.depth) > Math.abs(here.depth);
	const chosen = new Set([here]), beside = [], kids = [];
	current = here.frame;
	for (const box of boxes) {
		if (box.frame === view.top || box.frame === zoomed())
			chosen.add(box);
		if (box.depth === here.depth)
			beside.push(box);
		else if (Math.abs(box.depth - here.depth) === 1 && box.x < here.x + here.w && box.x + box.w > here.x)
			(isKid(box) ? kids : chosen)[isKid(box) ? 'push' : 'add'](box);
		if (links.size > 0 && linkOf(box.frame) && box.depth >= ui.drawn[0] && box.depth <= ui.drawn[1])
			chosen.add(box);
	}
	const at = beside.sort((a, b) => a.x - b.x).indexOf(here);
	for (const box of beside.slice(Math.max(0, at - BESIDE), at + BESIDE + 1))
		chosen.add(box);
	for (const box of kids.sort((a, b) => b.w - a.w).slice(0, WIDEST))
		chosen.add(box);
	return boxes.filter((box) => chosen.has(box));
}
