/* details.js - what is told about a frame. */

/* A 95 % interval for a share (Wilson), in per cent. */
function interval(share, n) {
	const z = 1.96, z2 = z * z;
	const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	const half = z / (1 + z2 / n) *
		Math.sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	const show = (x) => rounded(100 * Math.min(1, Math.max(0, x)), 2);
	return `95%: ${show(middle - half)}–${show(middle + half)}%`;
}

/* Of how many samples all is: fewer where stacks are hidden. */
function samplesOf(tree) {
	const n = range ? range.samples : cfg.samples || 0;
	return n * tree.all / sampled.at[sampled.name.length];
}

/* "1 in 1.2 million", of a small part. */
function oneIn(part) {
	const n = 1 / part;
	/** @type {[number, string][]} */
	const units = [[1e9, ' billion'], [1e6, ' million'], [1, '']];
	const [unit, name] = units.find(([least]) => n >= least) || units[2];
	return n >= 1e12 ? `1 in 10^${Math.floor(Math.log10(n))}` : `1 in ${commas(String(+(n / unit).toPrecision(2)))}${name}`;
}

/* What folddiff found: [place, class, low, high, q]. */
function wordsOn([place, kind, low, high, q], total, was) {
	const [after, before] = state.ghost ? [was, total] : [total, was];
	const times = low === '' ? '' : (before > 0 && after > 0 ? `${+(after / before).toPrecision(3)} times, ` : '') +
		`between ${low} and ${high} times`;
	const chance = Number(q) > 0 && Number(q) < 1 ? `about ${oneIn(Number(q))} such findings is chance` : '';
	return [isWeak([place, kind]) ? `${kind}, but not beyond noise` : `${kind}, beyond noise`,
		[times, chance].filter(Boolean).join('; ')].filter(Boolean).join(': ');
}

function moreAbout(frame) {
	if (view instanceof Chart)
		return view.linesOf(frame)[1] || '';
	const parent = view.parentOf(frame), total = view.total(frame);
	const list = [], calls = callsParent(view, frame);
	const isLeaf = calls && parent === view.top && !sandwich();
	if (cfg.ratio)
		list.push(overText(view.totalBefore(frame)));
	if (isDiff)
		list.push(`${state.ghost ? 'after' : 'before'} ${amount(view.totalBefore(frame))} ` +
			`${cfg.unit}, change ` +
			signed((total - view.totalBefore(frame)) * (state.ghost ? -1 : 1), full.all));
	const verdict = isDiff && verdictOn(view, frame);
	if (verdict)
		list.push(wordsOn(verdict, total, view.totalBefore(frame)));
	if (isLeaf || !calls)
		list.push(`self ${percent(isLeaf ? total : view.selfOf(frame), full.all)}`);
	if (parent !== null && view.total(parent) > 0) {
		if (!isLeaf)
			list.push(`${percent(total, view.total(parent))} of ${calls ? 'callee' : 'caller'}`);
		const {total: sums, places} = functionsOf(full), f = baseOf(view.nameOf(frame));
		list.push(`in all stacks ${percent(sums[f], full.all)}` +
			` in ${places[f]} place${places[f] === 1 ? '' : 's'}`);
	}
	const n = samplesOf(full);
	if (n > 0)
		list.push(interval(total / full.all, n));
	return list.join(' · ');
}

function describe(frame) {
	if (frame === null) {
		ui.line1.textContent = ui.line2.textContent = '';
		showBar();
		return;
	}
	const room = Math.floor((width - 2 * PAD) / cfg.cell);
	const title = `${cfg.type} ${titleOf(view, frame)}`;
	const tail = title.slice(title.lastIndexOf(' ('));
	const head = title.slice(0, title.length - tail.length);
	ui.line1.textContent = widthOf(title) <= room ? title :
		fit(head, Math.max(3, room - tail.length)) + tail;
	const left = marks ? room - 24 : room;
	ui.line2.textContent = fit(moreAbout(frame), left);
	showBar();
}

function say(text) {
	ui.line2.textContent = text;
	showBar();
}
