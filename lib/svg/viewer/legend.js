/* legend.js - what the colours mean: places, shares, and keys to choose. */

const CELLS = 21, BETWEEN = 18;   // of an entry: its swatch, and the space after it, px

/** @type {NodeListOf<SVGGElement>} */
const keys = root.querySelectorAll(':scope > [data-fg=key]');
const entries = [...keys].map((g) => ({
	g, wide: 0, key: g.dataset.key === undefined ? null : Number(g.dataset.key), diff: g.dataset.diff,
	text: [...g.querySelectorAll('text')].map((text) =>
		(text.querySelector('tspan[y]') ? [...text.children] : [text])
			.map((line) => line.textContent).join(' '))[0],
	share: g.querySelector('[data-fg=share]'),
}));
const legend = {top: cfg.top, high: cfg.legend || 0, width: 0, diff: cfg.diff, first: 0, small: new Set()};

/* Where the first line is, as svg.c has it. */
legend.first = entries.length === 0 ? 0 : Math.min(...entries
	.filter(({g}) => g.getAttribute('display') !== 'none')
	.map(({g}) => Number(g.getAttribute('transform').split(/[ ()]/)[2])));

const isListed = (entry) => (!entry.diff || entry.diff === state.diff) && !legend.small.has(entry);

/* On a phone the legend has one line of classes: those with the largest shares. */
function findSmall(room) {
	const share = ({share: element}) => parseFloat(element?.textContent) || 0;
	const classes = entries.filter((entry) => entry.key !== null && !entry.diff && entry.share);
	let wide = 0;
	legend.small.clear();
	if (width >= PHONE)
		return;
	for (const entry of classes.sort((a, b) => share(b) - share(a))) {
		wide += wideOf(entry);
		if (wide > room + BETWEEN)
			legend.small.add(entry);
	}
}

const wideOf = ({text}) =>
	CELLS + BETWEEN + (widthOf(text.replace(/ [\d.]+%$/, '')) + 7) * cfg.font * 0.56;

/* A note in as many lines as it needs; returns how many. */
function breakNote(entry, room) {
	const text = entry.g.querySelector('text'), lines = [''];
	for (const word of entry.text.split(' ')) {
		const last = lines.length - 1;
		const longer = lines[last] === '' ? word : lines[last] + ' ' + word;
		if (lines[last] !== '' && widthOf(longer) * cfg.font * 0.56 > room)
			lines.push(word);
		else
			lines[last] = longer;
	}
	text.replaceChildren(...lines.map((line, i) =>
		make('tspan', {x: 0, y: i * Math.floor(cfg.font * 1.6)}, null, line)));
	return lines.length;
}

/* Centre the entries of a line. */
function placeLine(list, wide, y) {
	let x = Math.max(PAD, (width - wide + BETWEEN) / 2);
	for (const entry of list) {
		entry.g.setAttribute('transform', `translate(${x.toFixed(1)} ${y})`);
		x += entry.wide;
	}
}

/* Break the legend into lines that fit, as place() of svglegend.c does. */
function placeLegend() {
	if (entries.length === 0 || (legend.width === width && legend.diff === state.diff))
		return;
	const line = Math.floor(cfg.font * 1.6), room = width - 2 * PAD;
	let list = [], wide = 0, y = legend.first;
	findSmall(room);
	const flush = () => {
		placeLine(list, wide, y);
		y += list.length > 0 ? line : 0;
		list = [];
		wide = 0;
	};
	for (const entry of entries) {
		entry.g.setAttribute('display', isListed(entry) ? 'inline' : 'none');
		if (!isListed(entry))
			continue;
		entry.wide = wideOf(entry);
		if (entry.key === null || (wide > 0 && wide + entry.wide > room + BETWEEN))
			flush();
		if (entry.key === null) {
			entry.g.setAttribute('transform', `translate(${width / 2} ${y})`);
			y += breakNote(entry, room) * line;
		} else {
			list.push(entry);
			wide += entry.wide;
		}
	}
	flush();
	legend.width = width;
	legend.diff = state.diff;
	cfg.top = legend.top + (y - legend.first) - legend.high;
	if (heat) {
		legend.heat = legend.heat || Number(heat.map.getAttribute('y'));
		heat.map.setAttribute('y', legend.heat + cfg.top - legend.top);
	}
}

/* The ends of the scale of a diff have the largest change that is drawn. */
function showScale() {
	/** @type {NodeListOf<SVGTextElement>} */
	const ends = root.querySelectorAll(isDiff ? ':scope > [data-fg=legend] > text' : 'none');
	const share = maxChange / full.all;
	for (const end of ends) {
		const word = end.dataset.word = end.dataset.word || end.textContent.split(' ')[0];
		const size = `${(100 * share).toFixed(share < 0.001 ? 3 : 1)}%`;
		const text = share > 0 && width < 480 ? (word === 'grew' ? '+' : '\u2212') + size :
			word + (share > 0 ? ` by ${size}` : '');
		if (end.textContent !== text)
			end.textContent = text;
	}
}

const BLOCK = 4096;   // frames whose sums by colour are kept

/* Own counts of each colour of the frames from one on, before another. */
function sumsByColour(tree, from, to) {
	const {name, self} = tree, n = cfg.keys.length + 1, blocks = Math.floor(name.length / BLOCK);
	const add = (sum, first, last, sign) => {
		for (let i = first; i < last; i++)
			sum[shades[name[i]]] += sign * self[i];
	};
	if (!tree.colourSums) {
		/* Those of all frames before each block. */
		tree.colourSums = [new Float64Array(n)];
		for (let k = 0; k < blocks; k++) {
			const sum = tree.colourSums[k].slice();
			add(sum, Math.max(1, k * BLOCK), (k + 1) * BLOCK, 1);
			tree.colourSums.push(sum);
		}
	}
	const first = Math.floor(from / BLOCK), last = Math.floor(to / BLOCK);
	const sum = tree.colourSums[last].map((value, k) => value - tree.colourSums[first][k]);
	add(sum, last * BLOCK, to, 1);
	add(sum, Math.max(1, first * BLOCK), from, -1);
	return sum;
}

/* The share of each class in the zoomed frame: of the frames themselves. */
function showShares() {
	if (entries.length === 0 || cfg.counts === 2)
		return;
	const zoom = view === full ? zoomed() : 0, all = full.total(zoom);
	const sum = sumsByColour(full, Math.max(1, zoom), full.end[zoom]);
	for (const {key, share} of entries) {
		if (share) {
			const part = cfg.keys.reduce((n, k, shade) => (k === key ? n + sum[shade] : n), 0);
			share.textContent = ` ${rounded(all > 0 ? 100 * part / all : 0, 1)}%`;
		}
	}
}

/* Let a class stay bright, or no longer: by a click, or a tap. */
function listenToLegend() {
	for (const entry of entries) {
		if (entry.key === null && entry.text.startsWith('gone: ')) {
			entry.g.classList.add('link');
			entry.g.addEventListener('click', actions.g[1]);
			make('title', {}, entry.g, 'show the picture before (g)');
		}
		if (entry.key === null)
			continue;
		entry.g.addEventListener('click', () => {
			entry.g.classList.toggle('on');
			repaint();
		});
		/* The style sheet lets the others fade, but not those on a canvas. */
		entry.g.addEventListener('pointerenter', repaint);
		entry.g.addEventListener('pointerleave', repaint);
	}
}

/* The next class alone, and after the last one all. */
function nextClass() {
	const list = entries.filter((entry) => entry.key !== null && isListed(entry));
	const at = list.findIndex(({g}) => g.classList.contains('on'));
	if (list.length === 0) {
		say('no classes in these colours');
		return;
	}
	list.forEach(({g}) => g.classList.remove('on'));
	if (at + 1 === list.length) {
		repaint();
		say('all classes');
		return;
	}
	list[at + 1].g.classList.add('on');
	repaint();
	say(list[at + 1].g.textContent);
}
