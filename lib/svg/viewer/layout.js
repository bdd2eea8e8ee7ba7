/* layout.js - where all but the frames is. */

const ui = /** @type {Ui} */ ({topmost: 0, bottom: window.innerHeight});

/**
 * An element of HTML; all of them are in the layer over the picture.
 * @returns {any}
 */
function html(tag, attributes, parent, text) {
	const element = document.createElementNS(HTML, tag);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (text !== undefined)
		element.textContent = text;
	if (parent)
		parent.append(element);
	return element;
}

/* A word of SVG that does what a button does. */
function button(id, text, action, parent) {
	const element = make('text', {
		id, 'data-fg': id, role: 'button', tabindex: 0, 'class': 'link',
		'font-size': 12,
	}, parent, text);
	element.addEventListener('click', action);
	element.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' || event.key === ' ') {
			event.preventDefault();
			event.stopPropagation();
			action();
		}
	});
	return element;
}

/*
 * What floats over the picture is HTML in a layer that covers the part of the
 * picture that is in the window: the toolbar, the tooltip, menus and tables.
 */
function makeControls() {
	ui.controls = make('g', {'data-fg': 'controls', 'data-made': ''});
	script.before(ui.controls);
	ui.foot = make('g', {'data-fg': 'foot'}, ui.controls);
	ui.bar = make('g', {}, ui.foot);
	ui.back = make('rect', {'class': 'bar', fill: part('page').getAttribute('fill')}, ui.bar);
	ui.edge = make('rect', {'class': 'edge', height: 1, fill: '#bbb'}, ui.bar);
	const lines = {role: 'status', 'aria-live': 'polite'};
	ui.details = make('text', Object.assign({id: 'details', 'data-fg': 'details', x: PAD}, lines), ui.foot);
	ui.line1 = make('tspan', {}, ui.details);
	ui.line2 = make('tspan', {'class': 'pale'}, ui.details);
	ui.matched = make('text', {id: 'matched', 'data-fg': 'matched', 'text-anchor': 'end'}, ui.foot);
	ui.box = make('foreignObject', {'data-fg': 'layer'}, ui.controls);
	ui.layer = html('div', {'class': 'layer'}, ui.box);
	makeToolbar();
}

/* Shorten a line of text until it fits; its title has all of it. */
function fitLine(element, room) {
	if (!element)
		return;
	const all = element.dataset.all || element.textContent;
	const size = Number(element.getAttribute('font-size'));
	element.dataset.all = all;
	if (element.textContent !== all)
		element.textContent = all;
	/* To measure means layout, which is not needed for short lines. */
	if (widthOf(all) * size * 0.7 < room)
		return;
	const wide = element.getComputedTextLength();
	if (wide > room && all.length > 0) {
		const keep = Math.max(1, Math.floor(all.length * room / wide) - 1);
		element.textContent = all.slice(0, keep) + '…';
	}
}

function layOut() {
	placeLegend();
	const narrow = isNarrow(), line = cfg.font * 1.35;
	showTools(narrow);
	ui.titleEnd = cfg.top - cfg.font;
	ui.chipsAt = ui.titleEnd + (narrow ? ui.toolsHeight : 0);
	const top = cfg.top + (narrow ? ui.toolsHeight : 0) + chipsHeight();
	const down = sandwich() ? rows : Math.max(rows, rowsAtTop);
	const height = (down - lowest) * cfg.row;
	const total = Math.ceil(top + height + cfg.foot);
	const base = state.inverted ? top - lowest * cfg.row :
		top + down * cfg.row;

	const tall = Math.max(total, ui.popup ? ui.popupEnd : 0,
		state.table ? ui.topmost + (hasPage ? window.innerHeight : 480) : 0);
	root.setAttribute('viewBox', `0 0 ${width} ${tall}`);
	root.setAttribute('height', String(tall));
	root.setAttribute('width', String(width));
	frames.setAttribute('y', String(base));
	frames.setAttribute('width', String(inner()));
	frames.setAttribute('height', String(height));
	ui.matched.setAttribute('x', width - PAD);
	ui.matched.setAttribute('y', line * 2 + 4);
	ui.line1.setAttribute('x', PAD);
	ui.line1.setAttribute('y', line + 3);
	ui.line2.setAttribute('x', PAD);
	ui.line2.setAttribute('y', line * 2 + 4);
	ui.back.setAttribute('width', width);
	ui.back.setAttribute('height', cfg.foot);
	ui.edge.setAttribute('width', width);
	ui.total = total;
	if (heat && ui.fitted !== width)
		heat.resize(inner());
	if (ui.fitted !== width) {
		const room = width - 2 * (narrow ? PAD : Math.max(ui.toolsWidth, 240));
		for (const id of ['title', 'subtitle', 'about'])
			fitLine(part(id), id === 'title' ? room : width - 2 * PAD);
		ui.fitted = width;
	}
	/* To ask where the picture is means layout; once a frame is enough. */
	cancelAnimationFrame(ui.placing);
	ui.placing = requestAnimationFrame(placeFoot);
}

/* The toolbar and the details stay in sight when the picture is taller than the window. */
function placeFoot() {
	const box = root.getBoundingClientRect();
	const scale = ui.scale = box.width > 0 ? box.width / width : 1;
	const seen = (window.innerHeight - box.top) / scale;
	ui.topmost = Math.max(0, -box.top / scale);
	ui.bottom = Math.max(ui.topmost, Math.min(seen, box.height / scale));
	const y = Math.min(ui.total, Math.max(seen, cfg.top + 3 * cfg.row)) - cfg.foot;
	ui.foot.setAttribute('transform', `translate(0 ${y.toFixed(1)})`);
	for (const [key, value] of Object.entries({
		y: ui.topmost, width, height: Math.max(60, ui.bottom - ui.topmost),
	}))
		ui.box.setAttribute(key, value);
	placeTools();
	ui.floats = y < ui.total - cfg.foot - 1;
	showBar();
	follow();
	countMatches();
}

/* Scroll as little as shows the row of a frame, where the picture is the page. */
function bringIntoSight(frame) {
	const y = Number(frames.getAttribute('y')) + rowTop(view.depthOf(frame));
	const above = y - cfg.row - ui.topmost, below = y + 2 * cfg.row + cfg.foot - ui.bottom;
	if (hasPage && (above < 0 || below > 0))
		window.scrollBy(0, below > 0 ? below : above);
}

/* The bar behind the details is only there where it has to be. */
function showBar() {
	const empty = ui.line1.textContent === '' && ui.line2.textContent === '' &&
		ui.matched.textContent === '';
	ui.bar.style.display = ui.floats && !empty ? '' : 'none';
}

/*
 * How wide the picture can be.  At first the window's width is taken, as to
 * ask for the picture's own means layout; listen() corrects it by a scroll bar.
 */
function measure(first) {
	if (cfg.width > 0)
		return cfg.width;
	root.style.width = '100%';
	const wide = first && alone ? window.innerWidth : root.getBoundingClientRect().width;
	return Math.max(240, Math.round(wide)) || cfg.drawn;
}
