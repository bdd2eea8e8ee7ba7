/* address.js - the view in the page's address. */

/*
 * What is done by intent is a step that the browser's Back undoes, and Forward
 * does again; what is typed into the search changes the address only.
 */
function saveState() {
	if (!hasPage)
		return;
	const list = [];
	const put = (key, value) => value && list.push(`${key}=${encodeURIComponent(value)}`);
	put('z', state.zoom !== null && frameKey(view, state.zoom));
	put('s', state.search);
	put('i', state.inverted !== isTall() && (state.inverted ? '1' : '0'));
	put('r', state.reversed && '1');
	put('w', state.chart && '1');
	put('o', state.order !== 'name' && state.order);
	put('x', state.hidden.join('_'));
	const filters = state.filters.join('\n');
	put('y', (filters !== usualFilter() || list.length > 0) && (filters || (usualFilter() && '0')));
	put('p', state.pins.join('\n'));
	put('c', state.theme);
	put('l', state.table);
	put('q', state.table && state.rows);
	put('e', state.table === 'tree' && state.open.join('_'));
	put('v', state.table === 'source' && state.source);
	put('f', state.focus !== null && names[state.focus]);
	put('d', isDiff && state.diff !== cfg.diff && state.diff);
	put('g', state.ghost && '1');
	put('t', heat && heat.state);
	const hash = list.length > 0 ? '#' + list.join('&') : location.pathname + location.search;
	try {
		if (location.hash !== hash && (list.length > 0 || location.hash !== '')) {
			const n = history.state?.n || 0;
			if (ui.step)
				history.pushState({n: n + 1}, '', hash);
			else
				history.replaceState({n}, '', hash);
		}
	} catch (error) {
		/* a sandbox: the state is not kept */
	}
	ui.step = false;
}

function loadState() {
	const get = new Map(!hasPage ? [] : location.hash.slice(1).split('&').map((item) => {
		const [key, ...value] = item.split('=');
		try {
			return [key, decodeURIComponent(value.join('='))];
		} catch (error) {
			return [key, ''];
		}
	}));
	state.filters = (get.get('y') || (get.size > 0 && get.keys().next().value ? '' : usualFilter())).split('\n').filter((text) => /^(?:[-+>].|~$)/.test(text));
	setTheme(['dark', 'light'].includes(get.get('c')) ? get.get('c') : '');
	state.source = get.get('v') || '';
	state.table = get.get('l') === 'source' && !sources ? '' : get.get('l') || '';
	state.rows = get.get('q') || '';
	state.open = (get.get('e') || '').split('_').filter(Boolean);
	const focus = get.has('f') ? names.indexOf(get.get('f')) : -1;
	state.inverted = get.has('i') ? get.get('i') === '1' : isTall();
	state.reversed = get.get('r') === '1';
	state.chart = get.get('w') === '1' && !!actions.f;
	state.order = ['weight', 'input'].includes(get.get('o')) ? get.get('o') : 'name';
	state.hidden = (get.get('x') || '').split('_').filter(Boolean);
	state.focus = focus < 0 ? null : focus;
	state.ghost = isDiff && get.get('g') === '1';
	state.diff = isDiff && ['self', 'total', 'judged'].includes(get.get('d')) ? get.get('d') : cfg.diff;
	state.zoom = null;
	range = heat && heat.load(get.get('t'));
	state.pins = (get.get('p') || '').split('\n').filter(Boolean).slice(0, PINS);
	findPins();
	search(get.get('s') || '');
	ui.query.value = state.search;
	return get.get('z');
}

function restore() {
	const key = loadState();
	rebuild();
	draw();
	rowsAtTop = rows;
	if (key)
		state.zoom = findZoom(key);
	update();
}

/* Undo one step, but never leave the page. */
function undo() {
	if (ui.saving) {
		cancelAnimationFrame(ui.saving);
		ui.saving = 0;
		saveState();
	}
	if (hasPage && history.state?.n > 0)
		history.back();
	else
		resetView();
}

/* A picture that is drawn anew: the address keeps what is looked at.  Who types
   or does not look at it is left alone. */
function refresh() {
	if (!document.hidden && document.activeElement !== ui.query)
		location.reload();
}
