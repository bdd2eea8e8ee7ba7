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

function moreAbout(frame) {
	const parent = view.parentOf(frame), total = view.total(frame);
	const list = [], calls = callsParent(view, frame);
	const isLeaf = calls && parent === view.top && !sandwich();
	if (isDiff)
		list.push(`${state.ghost ? 'after' : 'before'} ${amount(view.totalBefore(frame))} ` +
			`${cfg.unit}, change ` +
			signed((total - view.totalBefore(frame)) * (state.ghost ? -1 : 1), full.all));
	const verdict = isDiff && verdictOn(view, frame);
	if (verdict)
		list.push(isWeak(verdict) ?
			`${verdict[1]}, but not beyond noise` +
				(verdict[2] ? `: ratio ${verdict[2]}–${verdict[3]}` : '') :
			`${verdict[1]}: ratio ${verdict[2]}–${verdict[3]}, q ${verdict[4]}`);
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
