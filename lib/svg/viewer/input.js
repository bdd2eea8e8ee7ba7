/* input.js - keys and the pointer. */

/* The frames have the keys: they keep them when their elements are others. */
function holdFocus() {
	held = held || frames.contains(document.activeElement);
}

function keepFocus() {
	const hold = held;
	held = false;
	if (current === null || !live.has(current))
		current = view.top;
	frames.querySelectorAll(':scope > [tabindex]').forEach((g) => g.removeAttribute('tabindex'));
	const element = live.get(current);
	frames.querySelector(':scope > .now')?.classList.remove('now');
	if (!element)
		return;
	element.g.setAttribute('tabindex', '0');
	if (current === ui.match || (sandwich() && current === view.top))
		element.g.classList.add('now');
	if (hold && !frames.contains(document.activeElement))
		element.g.focus({preventScroll: true});
}

function focusOn(frame) {
	if (ui.painted && boxes.some((box) => box.frame === frame)) {
		current = frame;
		showBoxes(around(), true);
	}
	const element = live.get(frame);
	if (!element)
		return;
	current = frame;
	hovered = null;   // the pointer rests: keys are about what is described
	keepFocus();
	element.g.focus({preventScroll: true});
	element.g.scrollIntoView({block: 'nearest', inline: 'nearest'});
	placeFoot();
	describe(frame);
	/* Not behind the details, which are where the window ends. */
	const behind = element.rect.getBoundingClientRect().bottom -
		ui.back.getBoundingClientRect().top;
	if (ui.floats && behind > 0)
		window.scrollBy(0, behind + 2);
}

/* Where an arrow leads: out and in, or along the row. */
function neighbour(key) {
	const here = boxes.find((box) => box.frame === current);
	if (!here)
		return null;
	const step = key === (state.inverted ? 'ArrowDown' : 'ArrowUp') ? 1 : -1;
	const out = here.depth * step >= 0;   // from the root, or the function in the middle
	const middle = here.x + here.w / 2;
	let best = null, rank = Infinity;
	for (const box of boxes) {
		let far;
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			far = key === 'ArrowLeft' ? here.x - box.x : box.x - here.x;
			if (box.depth !== here.depth || far <= 0)
				continue;
		} else if (box.depth !== here.depth + step) {
			continue;
		} else if (out) {
			if (box.x < here.x - 1e-9 || box.x + box.w > here.x + here.w + 1e-9)
				continue;
			far = -box.w;
		} else {
			far = box.x <= middle && middle <= box.x + box.w ? -1 : 1;
		}
		if (far < rank) {
			rank = far;
			best = box.frame;
		}
	}
	return best;
}

function hide(frame) {
	if (!(view instanceof Tree))
		say('stacks cannot be hidden in this view');
	else if (frame !== view.top)
		change({hidden: [...state.hidden, pathKey(view, frame)]});
}

/* The older way to copy, which documents of XML do not have. */
function copyQuery() {
	try {
		return document.execCommand('copy');
	} catch (error) {
		return false;
	}
}

/* As the input has it, the root first, whatever the view is. */
function foldedStack(frame) {
	const list = stackOf(view, frame);
	if (sandwich())
		list.unshift(view.name);
	if (callsParent(view, frame))
		list.reverse();
	return list.map((name) => names[name]).join(';');
}

const copy = (frame) => copyText(foldedStack(frame));

async function copyText(text) {
	if (text === '') {
		say('no stack to copy');
		return;
	}
	try {
		await navigator.clipboard.writeText(text);
		say('copied');
	} catch (error) {
		ui.query.value = text;
		ui.query.select();
		say(copyQuery() ? 'copied' : 'cannot copy here');
		ui.query.value = state.search;
		ui.query.blur();
	}
}

const target = () => (hovered !== null ? hovered : current);

/* What keys do; the first word is what the help says. */
/** @type {Object<string, [string, () => void]>} */
const actions = {
	'/': ['search', () => ui.query.focus()],
	'n': ['next match', () => nextMatch(1)],
	'N': ['last match', () => nextMatch(-1)],
	'0': ['reset the view; Esc undoes one step', resetView],
	'i': ['icicles or flames', () => change({inverted: !state.inverted})],
	'r': ['merge from the leaves', () => change({reversed: !state.reversed, focus: null})],
	'o': ['order: name, weight, input', () => {
		const next = {name: 'weight', weight: later ? 'input' : 'name', input: 'name'};
		change({order: next[state.order]});
		say(`order: ${state.order}`);
	}],
	's': ['callers and callees of a function', () => change({
		focus: sandwich() || target() === null || isRoot(view, target()) ? null : view.nameOf(target()),
	})],
	't': ['table of all functions', () => toggleTable('self')],
	'e': ['call tree', () => toggleTable('tree')],
	'x': ['hide a stack', () => hide(target())],
	'c': ['copy a stack', () => copy(target())],
	'a': [cfg.verdicts ? 'diff: all changes, or those that were tested' : 'diff: change of self or total',
		() => isDiff && change({diff: state.diff !== 'total' ? 'total' : cfg.verdicts ? 'judged' : 'self'})],
	'g': ['diff: the picture before', () => isDiff && change({ghost: !state.ghost})],
	'k': ['keep the search, and begin another', keepSearch],
	'y': ['only stacks with what the search finds', () => filterSearch('+')],
	'u': ['no stacks with what the search finds', () => filterSearch('-')],
	'm': ['collapse recursion', () => (cfg.chart || cfg.reversed ? say('not in this picture') : filter('~'))],
	'd': ['dark or light', () => {
		setTheme(isDark() ? 'light' : 'dark');
		update();
	}],
	'l': ['the next class of the legend', nextClass],
	'?': ['this help', toggleHelp],
};

function onKey(event) {
	const inQuery = event.target.localName === 'input';
	if (event.key === 'Escape') {
		if (closePopup())
			showTip(event, null);
		else if (event.target === ui.query && !ui.table)
			focusOn(current);
		else if (inQuery && ui.table)
			ui.table.scroller.focus();
		else
			undo();
		event.preventDefault();   // some browsers empty the field, and do not say so
		return;
	}
	if (event.target === ui.query && event.key === 'Enter') {
		event.preventDefault();
		if (event.ctrlKey || event.metaKey)
			focusOnBest();
		else
			nextMatch(event.shiftKey ? -1 : 1);
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey || inQuery)
		return;
	const onFrame = elementOf.has(event.target);
	if (event.key === 'Enter' && onFrame) {
		event.preventDefault();
		zoomTo(elementOf.get(event.target));
		focusOn(current);
	} else if (event.key.startsWith('Arrow') && onFrame) {
		const next = neighbour(event.key);
		event.preventDefault();
		if (next !== null)
			focusOn(next);
	} else if (Object.hasOwn(actions, event.key)) {
		event.preventDefault();
		actions[event.key][1]();
	}
}

/* The frame under the pointer, one too narrow for an element too. */
function frameAt(event) {
	for (let e = event.target; e && e !== frames && e !== root; e = e.parentNode) {
		if (elementOf.has(e))
			return elementOf.get(e);
	}
	if (event.target.closest('[data-fg=controls], [data-fg=key]'))
		return null;
	/* Of the outer element: browsers do not agree about inner ones. */
	const box = root.getScreenCTM();
	if (!box)
		return null;
	const y = (event.clientY - box.f) / box.d - Number(frames.getAttribute('y'));
	const x = ((event.clientX - box.e) / box.a - PAD) / inner();
	const depth = Math.floor((state.inverted ? y : -y) / cfg.row);
	if (x < 0 || x >= 1 || depth < lowest || depth >= rows)
		return null;
	return view.find(zoomed(), depth, x);
}

function onClick(event) {
	if (event.button !== 0 || ui.box.contains(event.target))
		return;
	if (closePopup() || ui.dragged)
		return;
	const frame = frameAt(event);
	if (frame === null)
		return;
	if (event.target.closest('a') && !event.ctrlKey && !event.metaKey)
		return;
	event.preventDefault();
	zoomTo(frame);
}

function onMove(event) {
	const frame = frameAt(event);
	showTip(event, frame);
	if (frame === hovered)
		return;
	hovered = frame;
	outline(frame);
	describe(frame);
}

function listen() {
	let resizing = 0, typing = 0;
	const resize = () => {
		cancelAnimationFrame(resizing);
		resizing = requestAnimationFrame(() => {
			const now = measure();
			if (now !== width) {
				width = now;
				update();
			}
			placeFoot();
			if (ui.painted && sharpness() !== canvas.sharp)
				paint();
		});
	};
	window.addEventListener('resize', resize);
	resize();
	window.addEventListener('scroll', placeFoot, {passive: true});
	for (const when of ['beforeprint', 'afterprint']) {
		window.addEventListener(when, () => {
			ui.printing = when === 'beforeprint';
			render();
		});
	}
	dark.addEventListener('change', repaint);
	window.visualViewport?.addEventListener('resize', resize);
	if (hasPage)
		window.addEventListener('popstate', restore);
	if (hasPage && cfg.refresh)
		setInterval(refresh, cfg.refresh * 1000);
	(hasPage ? window : root).addEventListener('keydown', onKey);
	root.addEventListener('click', onClick);
	root.addEventListener('contextmenu', onMenu);
	root.addEventListener('pointermove', onMove);
	root.addEventListener('mouseleave', (event) => {
		hovered = null;
		outline(null);
		showTip(event, null);
		describe(null);
	});
	frames.setAttribute('tabindex', '-1');   // the listener makes it a tab stop
	frames.addEventListener('focusin', (event) => {
		if (elementOf.has(event.target)) {
			current = elementOf.get(event.target);
			hovered = null;
			if (ui.painted)
				showBoxes(around(), true);
			describe(current);
		}
	});
	ui.query.addEventListener('input', () => {
		cancelAnimationFrame(typing);
		typing = requestAnimationFrame(() => {
			search(ui.query.value);
			update();
			showBest();
		});
	});
}
