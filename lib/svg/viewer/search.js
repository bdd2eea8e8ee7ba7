/* search.js - search, and the way from match to match. */

function compile(text) {
	try {
		return new RegExp(text, /\p{Lu}/u.test(text) ? '' : 'i');
	} catch (error) {
		return null;
	}
}

function search(text) {
	state.search = text;
	const regex = text === '' ? null : compile(text);
	marks = regex && new Uint8Array(names.length);
	if (regex) {
		for (let i = 0; i < names.length - 1; i++)
			marks[i] = regex.test(names[i].replace(SUFFIX, '')) ? 1 : 0;
	}
	ui.query.setAttribute('aria-invalid', String(text !== '' && !regex));
}

/* The topmost frames that a kept search found have its colour: 1 to 4. */
function findPins() {
	pins = state.pins.length > 0 ? new Uint8Array(names.length) : null;
	ui.pins = state.pins.map((text, k) => {
		const regex = compile(text), found = new Uint8Array(names.length);
		for (let i = 0; regex && i < names.length - 1; i++) {
			found[i] = regex.test(names[i].replace(SUFFIX, '')) ? 1 : 0;
			if (found[i] && pins[i] === 0)
				pins[i] = k + 1;
		}
		return {text, found};
	});
}

function setPins(list) {
	state.pins = list;
	ui.step = true;
	findPins();
	update();
}

/* Keep the search and its colour, and begin another. */
function keepSearch() {
	if (!marks || state.pins.includes(state.search))
		say('search for something to keep first');
	else if (state.pins.length === PINS)
		say(`${PINS} searches are kept already`);
	else {
		const text = state.search;
		ui.query.value = '';
		search('');
		setPins([...state.pins, text]);
	}
}

/* The kept searches below the toolbar, each with its share: a click forgets it. */
function showPins() {
	const chips = state.filters.map((text) => {
		const chip = html('button', {type: 'button', 'class': 'chip filter', title: 'no longer'}, null,
			`${filterWords(text)} ×`);
		chip.addEventListener('click', () => filter(text));
		return chip;
	});
	ui.kept.replaceChildren(...chips, ...(ui.pins || []).map(({text, found}, k) => {
		const share = percent(view.matched(zoomed(), found).sum, view.total(zoomed()));
		const chip = html('button', {type: 'button', 'class': `chip pin${k + 1}`, title: 'forget this search'},
			null, `${text} ${share} ×`);
		chip.addEventListener('click', () => setPins(state.pins.filter((pin) => pin !== text)));
		return chip;
	}));
}

/* The class of what was found, or ''. */
const foundClass = (name) => (marks && marks[name] ? ' hit' : pins && pins[name] ? ` pin${pins[name]}` : '');

function showMatched() {
	showPins();
	if (!marks) {
		ui.matched.textContent = state.search === '' ? '' : 'no regular expression';
		return;
	}
	const {sum, count} = view.matched(zoomed(), marks);
	ui.matched.textContent = `Matched: ${percent(sum, view.total(zoomed()))} (${count})`;
	countMatches();
}

/* How many matches are drawn above and below the window. */
function countMatches() {
	if (!marks)
		return;
	const base = Number(frames.getAttribute('y')), [above, below] = boxes.reduce((n, box) => {
		if (marks[view.nameOf(box.frame)]) {
			const y = base + rowTop(box.depth);
			n[0] += y + cfg.row < ui.topmost;
			n[1] += y > ui.bottom - cfg.foot;
		}
		return n;
	}, [0, 0]);
	ui.count.textContent = [above > 0 && `${above} above`, below > 0 && `${below} below`]
		.filter(Boolean).join(', ');
}

/* Where all matches are out of the window, scroll to the widest. */
function showBest() {
	if (!marks || !hasPage)
		return;
	const base = Number(frames.getAttribute('y'));
	let best = null;
	for (const box of boxes) {
		if (!marks[view.nameOf(box.frame)])
			continue;
		const y = base + rowTop(box.depth);
		if (y >= ui.topmost && y < ui.bottom - cfg.foot)
			return;
		if (best === null || box.w > best.w)
			best = box;
	}
	if (best !== null)
		bringIntoSight(best.frame);
}

/* Callers and callees of the function with the largest total that the search found. */
function focusOnBest() {
	const {total} = functionsOf(full);
	let best = null;
	for (let name = 0; marks && name < names.length - 1; name++) {
		if (marks[name] && total[baseOf(name)] > 0 && (best === null || total[baseOf(name)] > total[baseOf(best)]))
			best = name;
	}
	if (best === null)
		say('no function is found');
	else
		change({focus: best});
}

/* The same of frames that are drawn, where others may not be built yet. */
function nextDrawn(step) {
	const list = boxes.map((box) => box.frame).filter((frame) => marks[view.nameOf(frame)]);
	const n = list.length, at = list.indexOf(current);
	if (n === 0) {
		say('no match is drawn here');
		return;
	}
	ui.match = list[at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n];
	focusOn(ui.match);
}

/* The next or last frame that the search found, in the order of drawing. */
function nextMatch(step) {
	const stay = document.activeElement === ui.query;
	if (!marks)
		return;
	if (!(view instanceof Tree)) {
		nextDrawn(step);
		if (stay)
			ui.query.focus({preventScroll: true});
		return;
	}
	const n = full.name.length, start = zoomed();
	let i = typeof current === 'number' ? current : start;
	for (let k = 0; k < n; k++) {
		i = (i + step + n) % n;
		if (i >= start && i < full.end[start] && marks[full.name[i]] && full.total(i) > 0) {
			reveal(i);
			if (stay)
				ui.query.focus({preventScroll: true});
			return;
		}
	}
}

/* Whether a frame has an element, or a place for one that is wide enough to be seen on a canvas. */
const isSeen = (frame) => live.has(frame) || (ui.painted && boxes.some((box) =>
	box.frame === frame && box.w * inner() >= LABELLED * cfg.cell));

/* Zoom out from a frame as far as it can still be seen, and go there. */
function reveal(frame) {
	ui.match = frame;
	if (!isSeen(frame)) {
		let zoom = frame;
		while (zoom !== 0 && full.total(frame) / full.total(full.parent[zoom]) * inner() >= 20)
			zoom = full.parent[zoom];
		state.zoom = zoom === 0 ? null : zoom;
		update();
	}
	focusOn(frame);
}
