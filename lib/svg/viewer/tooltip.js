/* tooltip.js - what is at the pointer: a tooltip, and the menu of a frame. */

/*
 * An outline of the frame at the pointer.  It is above the frame, and has an
 * empty title: the browser would show the title of the frame beside our tooltip.
 */
function outline(frame) {
	const box = frame === null || live.get(frame)?.g.localName === 'a' ? null :
		boxes.find((other) => other.frame === frame);
	if (!box) {
		ui.cover?.remove();
		return;
	}
	if (!ui.cover) {
		ui.cover = make('rect', {
			'class': 'cover', 'aria-hidden': 'true', 'data-made': '', height: Math.max(1, cfg.row - 1),
		});
		make('title', {}, ui.cover);
	}
	const {x, y, w} = placeOf(box.depth, box.x, box.w);
	ui.cover.setAttribute('x', x);
	ui.cover.setAttribute('y', y);
	ui.cover.setAttribute('width', w);
	if (frames.lastElementChild !== ui.cover)
		frames.append(ui.cover);
}

/* The lines below the name. */
function tipLines(frame) {
	if (view instanceof Chart)
		return view.linesOf(frame);
	const total = view.total(frame), zoom = zoomed(), lines = [];
	const link = links.get(view.nameOf(frame));
	if (link && link[1])
		lines.push(link[1]);
	lines.push(`${amount(exactTotal(view, frame))} ${cfg.unit} · ${percent(total, full.all)} of all` +
		(zoom !== view.top && view.total(zoom) > 0 ?
			` · ${percent(total, view.total(zoom))} of ${shown(view.nameOf(zoom))}` : ''));
	if (!callsParent(view, frame))
		lines.push(`self ${amount(Math.round(view.selfOf(frame)))} ${cfg.unit} · ` +
			`${percent(view.selfOf(frame), full.all)}`);
	if (cfg.ratio)
		lines.push(`${overText(view.totalBefore(frame))} · ${ratioWords(view, frame)}`);
	if (isDiff) {
		const was = view.totalBefore(frame), [from, to] = state.ghost ? [total, was] : [was, total];
		lines.push(`before ${amount(Math.round(from))} · after ${amount(Math.round(to))} · ` +
			`change ${signed(to - from, full.all)}`);
		const verdict = verdictOn(view, frame);
		if (verdict)
			lines.push(wordsOn(verdict, total, was));
	}
	return lines;
}

/* What is at the pointer is another frame: it says so when it moves. */
function hideTip() {
	if (ui.tip)
		ui.tip.style.display = 'none';
	ui.tipFrame = null;
}

function showTip(event, frame) {
	ui.tip = ui.tip || html('div', {'class': 'tip', 'aria-hidden': 'true'}, ui.layer);
	if (frame === null || ui.popup || (event.pointerType && event.pointerType !== 'mouse')) {
		hideTip();
		return;
	}
	if (ui.tipFrame !== frame) {
		ui.tipFrame = frame;
		ui.tip.replaceChildren();
		html('b', {}, ui.tip, textOf(view, frame));
		for (const line of tipLines(frame))
			html('div', {}, ui.tip, line);
		ui.tip.style.display = '';
		ui.tipWide = ui.tip.offsetWidth;
		ui.tipHigh = ui.tip.offsetHeight;
	}
	const box = root.getBoundingClientRect(), scale = box.width / width || 1;
	const x = (event.clientX - box.left) / scale, y = (event.clientY - box.top) / scale - ui.topmost;
	const left = Math.max(4, Math.min(x + 14, width - ui.tipWide - 6));
	const top = y + 22 + ui.tipHigh > ui.bottom - ui.topmost - cfg.foot ? y - ui.tipHigh - 12 : y + 22;
	ui.tip.style.transform = `translate(${left.toFixed(0)}px,${Math.max(0, top).toFixed(0)}px)`;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/* A regular expression that finds this name only. */
const exactly = (name) => `^${escaped(shown(name))}$`;

/* The part of a name that a module's functions share: package, namespace, class; or ''. */
function moduleOf(text) {
	const [start, end] = withoutTypes(text), name = text.slice(start, end);
	let depth = 0, last = 0;
	for (let i = 0; i < name.length; i++) {
		if (depth === 0 && isPart(name, i))
			last = i;
		depth = nesting(name, i, depth);
	}
	return name.slice(0, last);
}

function frameMenu(frame, left, top) {
	const name = view.nameOf(frame), module = moduleOf(shown(name));
	const items = [['Zoom in here', () => zoomTo(frame), 'Enter']];
	if (!isRoot(view, frame)) {
		items.push(
			['Callers and callees of this function', () => change({focus: name}), 's'],
			...(sources?.has(name) ? [['Source of this function', () => showSource(name), 'v']] : []),
			['Search this function', () => searchFor(exactly(name))],
			['Only stacks with this function', () => filter('+' + exactly(name))]);
		if (module)
			items.push([`Only stacks with ${module}`, () => filter('+' + escaped(module))]);
		items.push(['Hide this function everywhere', () => filter('-' + exactly(name))]);
		if (!cfg.chart && !cfg.reversed)
			items.push(['Hide its callers', () => filter('>' + exactly(name))],
				['Collapse recursion', () => filter('~'), 'm']);
		if (view instanceof Tree)
			items.push(['Hide this stack', () => hide(frame), 'x']);
		items.push(
			['Copy the name', () => copyText(shown(name))],
			['Copy the stack', () => copy(frame), 'c']);
	}
	openPopup(menuOf(items, {'data-fg': 'menu', 'aria-label': textOf(view, frame)}), left, top);
}

/* By the right button, a long press, or the menu key on a frame with the focus. */
function onMenu(event) {
	const key = event.button !== 2 && elementOf.has(event.target);
	const frame = key ? elementOf.get(event.target) : frameAt(event);
	if (frame === null || event.shiftKey || ui.box.contains(event.target))
		return;
	event.preventDefault();
	showTip(event, null);
	const box = root.getBoundingClientRect(), scale = box.width / width || 1;
	const at = key ? event.target.getBoundingClientRect() : null;
	frameMenu(frame, ((at ? at.left : event.clientX) - box.left) / scale,
		((at ? at.bottom : event.clientY) - box.top) / scale - ui.topmost);
}

/* What a filter does, in words. */
const filterWords = (text) => (text === '~' ? 'recursion collapsed' :
	`${{'+': 'only stacks with', '-': 'without', '>': 'from'}[text[0]]} ${text.slice(1)}`);

/* Only some stacks, or other ones; or no longer where it is so already. */
function filter(text) {
	const had = state.filters.includes(text);
	change({filters: had ? state.filters.filter((other) => other !== text) : [...state.filters, text]});
	say(had ? `no longer: ${filterWords(text)}` : filterWords(text));
}

/* The same by what is typed into the search field, which is empty then. */
function filterSearch(kind) {
	const text = state.search;
	if (!marks) {
		say('search for something first');
		return;
	}
	ui.query.value = '';
	search('');
	filter(kind + text);
}

function searchFor(text) {
	ui.query.value = text;
	search(text);
	update();
}
