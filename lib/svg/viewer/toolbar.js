/* toolbar.js - the buttons and the search field above the picture. */

/* Keys that have a button, and its word. */
const TOOLS = [
	['f', 'Time'], ['i', 'Flip'], ['r', 'Bottom-up'], ['o', 'Order'], ['t', 'Functions'], ['e', 'Tree'], ['v', 'Source'],
	['a', 'Changes'], ['g', 'Before'], ['d', 'Dark'], ['?', 'Keys'], ['0', 'Reset'],
];

const PHONE = 600;  // in a narrower picture some buttons are in the menu only, px
const CHIPS = 30;   // height of the line of kept searches, px

function makeTool(key, word) {
	const tool = html('button', {
		type: 'button', title: `${actions[key][0]} (${key})`, 'data-tool': key,
	}, ui.tools, word);
	tool.addEventListener('click', () => actions[key][1]());
	return tool;
}

function makeToolbar() {
	ui.strip = html('div', {'class': 'strip'}, ui.layer);
	ui.tools = html('div', {'class': 'tools', role: 'toolbar', 'aria-label': 'Views'}, ui.strip);
	ui.tool = {};
	for (const [key, word] of TOOLS) {
		if (actions[key] && (isDiff || (key !== 'a' && key !== 'g')))
			ui.tool[key] = makeTool(key, word);
	}
	ui.reset = ui.tool['0'];
	ui.reset.id = 'unzoom';
	ui.reset.dataset.fg = 'reset';
	ui.keys = ui.tool['?'];
	ui.keys.dataset.fg = 'keys';
	const find = html('div', {'class': 'find', role: 'search'}, ui.strip);
	ui.query = html('input', {
		type: 'search', 'data-fg': 'query', placeholder: 'Search (regex)', spellcheck: 'false',
		'aria-label': 'Search names by regular expression', autocomplete: 'off',
		title: 'Search names (/), Enter: next match, Shift-Enter: the one before, Ctrl-Enter: its callers and callees',
	}, find);
	ui.walk = html('span', {'class': 'walk'}, find);
	for (const [text, step, title] of [['\u2039', -1, 'last match (N)'], ['\u203a', 1, 'next match (n)']])
		html('button', {type: 'button', title, 'aria-label': title}, ui.walk, text)
			.addEventListener('click', () => nextMatch(step));
	for (const [text, kind, title] of [['Only', '+', 'only stacks with what is found (y)'],
		['Hide', '-', 'no stacks with what is found (u)']])
		html('button', {type: 'button', title}, ui.walk, text).addEventListener('click', () => filterSearch(kind));
	html('button', {type: 'button', title: 'keep this search in another colour (k)', 'aria-label': 'Keep this search'},
		ui.walk, '+').addEventListener('click', keepSearch);
	ui.count = html('span', {'class': 'count', 'data-fg': 'count'}, ui.walk);
	ui.kept = html('div', {'class': 'kept', 'data-fg': 'kept'}, ui.layer);
}

/* How wide the buttons are in one line, with the longest word of each. */
function measureTools() {
	ui.tool.o.textContent = 'By weight';
	ui.box.setAttribute('width', width);
	return [...ui.tools.querySelectorAll('button')].reduce((sum, {offsetWidth}) => sum + offsetWidth + 2, 2 * PAD);
}

/* Whether the title has no room beside the toolbar, which then has its own line. */
function isNarrow() {
	const title = part('title'), text = title ? title.dataset.all || title.textContent : '';
	ui.toolsWidth = ui.toolsWidth || measureTools();
	return width < PHONE || 2 * Math.max(ui.toolsWidth, 240) + widthOf(text) * cfg.font > width;
}

/* Bring the buttons up to date, and measure them where the width is another. */
function showTools(narrow) {
	const isChanged = state.zoom !== null || sandwich() || range || state.hidden.length > 0 ||
		state.filters.join('\n') !== usualFilter();
	ui.reset.style.visibility = isChanged ? '' : 'hidden';
	ui.tool.o.textContent = {name: 'By name', weight: 'By weight', input: 'By input'}[state.order];
	/** @type {[string, boolean][]} */
	const pressed = [['f', state.chart], ['r', state.reversed], ['a', state.diff === 'total'], ['g', state.ghost],
		['d', isDark()], ['t', !['', 'tree', 'source'].includes(state.table)],
		['e', state.table === 'tree'], ['v', state.table === 'source']];
	for (const [key, on] of pressed)
		ui.tool[key]?.setAttribute('aria-pressed', String(on));
	ui.walk.style.display = marks ? '' : 'none';
	ui.layer.classList.toggle('finding', marks !== null);
	if (ui.toolsFor === width)
		return;
	ui.toolsFor = width;
	ui.layer.classList.toggle('narrow', narrow);
	ui.layer.classList.toggle('phone', width < PHONE);
	ui.keys.textContent = width < PHONE ? 'More' : 'Keys';
	ui.box.setAttribute('width', width);
	ui.box.setAttribute('height', 200);
	ui.toolsHeight = ui.strip.offsetHeight;
}

/* Kept searches and filters have a line of their own, above the frames. */
const chipsHeight = () => (state.pins.length + state.filters.length > 0 ? CHIPS : 0);

/* At the top of the picture, in a narrow one below its title; then of the window. */
function placeTools() {
	const narrow = isNarrow();
	const at = Math.max(0, (narrow ? ui.titleEnd : 0) - ui.topmost);
	ui.strip.style.transform = `translateY(${at}px)`;
	const below = at + ui.toolsHeight;
	const chips = Math.max(below, ui.table ? 0 : ui.chipsAt - ui.topmost);
	ui.kept.style.transform = `translateY(${chips}px)`;
	ui.kept.classList.toggle('floats', chips === below);
	if (ui.table)
		ui.table.panel.style.top = below + chipsHeight() + 'px';
	ui.strip.classList.toggle('floats', ui.topmost > (narrow ? ui.titleEnd : 0) + 4);
}

/* The rules of dark pages hold for all, for none, or as the browser prefers. */
const dark = window.matchMedia('(prefers-color-scheme:dark)');
const schemes = /** @type {CSSMediaRule[]} */ ([...root.querySelectorAll('style')].flatMap((style) =>
	[...(style.sheet ? style.sheet.cssRules : [])]).filter((rule) =>
	rule instanceof CSSMediaRule && rule.media.mediaText.includes('prefers-color-scheme')));

const isDark = () => (state.theme ? state.theme === 'dark' : dark.matches);

function setTheme(theme) {
	state.theme = theme;
	for (const rule of schemes)
		rule.media.mediaText = theme === 'dark' ? 'all' : theme === 'light' ? 'not all' :
			'(prefers-color-scheme:dark)';
}

/* A panel over the picture; Escape and a click beside it close it. */
function openPopup(popup, left, top) {
	closePopup();
	ui.popup = popup;
	ui.layer.append(popup);
	if (hasPage)
		popup.style.maxHeight = window.innerHeight - 12 + 'px';   // the picture may be lower
	const box = popup.getBoundingClientRect();
	const x = Math.max(4, Math.min(left, width - box.width - 4));
	const high = hasPage ? window.innerHeight : ui.bottom - ui.topmost;
	const y = top + box.height > high && hasPage ? Math.max(4, high - box.height - 4) : top;
	popup.style.left = x + 'px';
	popup.style.top = y + 'px';
	ui.popupEnd = ui.topmost + y + box.height + PAD;
	ui.popupFrom = document.activeElement;
	layOut();
	popup.querySelector('button')?.focus({preventScroll: true});
}

function closePopup() {
	if (!ui.popup)
		return false;
	const had = ui.popup.contains(document.activeElement);
	ui.popup.remove();
	ui.popup = null;
	if (had)
		ui.popupFrom?.focus?.({preventScroll: true});
	layOut();
	return true;
}

/* A list of [text, action, key]: arrows walk, Enter chooses. */
function menuOf(items, attributes) {
	const menu = html('div', Object.assign({'class': 'popup', role: 'menu'}, attributes));
	for (const [text, action, key] of items) {
		const item = html('button', {type: 'button', role: 'menuitem'}, menu);
		html('span', {}, item, text);
		html('kbd', {}, item, key || '');
		item.addEventListener('click', () => {
			closePopup();
			action();
		});
	}
	menu.addEventListener('keydown', (event) => {
		const list = [...menu.querySelectorAll('button')], at = list.findIndex((button) => button === document.activeElement);
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (step) {
			list[(at + step + list.length) % list.length].focus();
			event.preventDefault();
			event.stopPropagation();
		} else if (event.key === 'Enter' || event.key === ' ') {
			event.stopPropagation();   // the button itself does it
		}
	});
	return menu;
}

/* A menu at a point of the window, once the click that asks for it is over: it closes menus. */
function showMenu(items, id, x, y) {
	const box = root.getBoundingClientRect(), scale = box.width / width || 1;
	setTimeout(() => openPopup(menuOf(items, {'data-fg': id}), (x - box.left) / scale,
		(y - box.top) / scale - ui.topmost));
}

function toggleHelp() {
	if (ui.popup?.dataset.fg === 'help') {
		closePopup();
		return;
	}
	const list = Object.entries(actions).filter(([key]) => isDiff || (key !== 'a' && key !== 'g'));
	openPopup(menuOf(list.map(([key, [text, action]]) => [text, action, key]), {'data-fg': 'help'}),
		PAD, cfg.top + 30 > ui.topmost ? cfg.top + 30 - ui.topmost : 40);
}
