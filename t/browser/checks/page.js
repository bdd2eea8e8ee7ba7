/* page.js - pictures in pages, windows and colour schemes. */
'use strict';

const fs = require('fs');
const path = require('path');

const {DIFF, SMALL, View, assert, equal, page, picture, work} = require('../view');

/* More boxes than get an element each. */
const TALL = Array.from({length: 40}, (_, i) =>
	Array.from({length: 150}, (__, d) => `f${d}_${i}`).join(';') + ' 1\n').join('');

module.exports = {
	async 'dark where the page is dark, as an image too'() {
		const url = picture('small.svg', SMALL);
		const html = page('img.html', `<body style="margin:0"><img src="${url}">`);
		for (const [where, scheme, dark] of [[url, 'dark', true], [url, 'light', false],
			[html, 'dark', true], [html, 'light', false]]) {
			const v = await View.open(where, {colorScheme: scheme});
			const [red] = await v.corner();
			equal(red < 64, dark, `${where} ${scheme}`);
			await v.close();
		}
		/* What is written on a dark background that was asked for is light. */
		const v = await View.open(picture('night.svg', SMALL, '--bgcolors', '#203040'));
		await v.hover('parse');
		await v.search('lex');
		const fills = await v.page.evaluate(() => ['title', 'keys', 'details', 'matched'].map((name) =>
			getComputedStyle(document.querySelector(`[data-fg=${name}]`))[name === 'keys' ? 'color' : 'fill']
				.match(/\d+/g)));
		for (const fill of fills)
			assert(fill[2] > 200, fill.join());
		await v.close();
	},

	async 'nothing sticks out or overlaps at 420 pixels'() {
		for (const size of ['12', '40']) {
			const v = await View.open(picture('long.svg', SMALL, '--title',
				'A title that is rather too long for such a narrow window', '--subtitle',
				'and a subtitle that is even longer than that title was', '--fontsize', size),
			{viewport: {width: 420, height: 700}});
			const boxes = await v.page.evaluate(() =>
				['title', 'subtitle', 'query', 'keys', 'frames'].map((name) => {
					const b = document.querySelector(`[data-fg=${name}]`).getBoundingClientRect();
					return {name, left: b.left, right: b.right, top: b.top, bottom: b.bottom};
				}));
			for (const box of boxes)
				assert(box.left >= 0 && box.right <= 421, JSON.stringify(box));
			boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) =>
				assert(a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 3 ||
					b.bottom <= a.top + 3, `${a.name} and ${b.name}, ${size} px`)));
			await v.close();
		}
	},

	async 'a phone has the first frame within 95 pixels, and every tool in a menu'() {
		const text = SMALL + 'main;java/a/B.c;[unknown];A::b 9\nmain;x_[k];y_[i];z_[j] 9\n';
		const v = await View.open(picture('phone.svg', text), {viewport: {width: 390, height: 844}});
		const first = await v.page.evaluate(() => Math.min(...[...document.querySelectorAll('[data-fg=frames] rect')]
			.map((rect) => rect.getBoundingClientRect().top)));
		assert(first <= 95, `the first frame is at ${first}`);
		const cut = await v.page.evaluate(() => [...document.querySelectorAll('.strip button, .strip input')]
			.map((element) => element.getBoundingClientRect()).filter((b) => b.width > 0 && (b.left < 0 || b.right > 391)).length);
		equal(cut, 0, 'buttons out of the window');
		await v.page.getByRole('button', {name: 'More', exact: true}).click();
		await v.page.getByRole('menuitem', {name: 'merge from the leaves'}).click();
		await v.settle();
		assert((await v.names()).length > 5 && v.page.url().includes('r'), 'from the leaves');
		await v.search('a');
		assert(await v.page.getByRole('button', {name: 'Hide', exact: true}).isVisible(), 'no button to hide');
		await v.close();
	},

	async 'two pictures in a page do not disturb each other, or the page'() {
		const strip = (url) => fs.readFileSync(url.slice(7), 'utf8').replace(/^<\?xml.*\?>\n/, '');
		const one = strip(picture('one.svg', SMALL));
		const two = strip(picture('two.svg', SMALL.replace(/sort/g, 'order')));
		const v = await View.open(page('two.html', '<!DOCTYPE html><meta charset="utf-8">' +
			'<body><svg width="9" height="9"><text id="probe">x</text></svg>' +
			`<p id="p">text</p><div>${one}</div><div>${two}</div>`));
		const font = await v.page.evaluate(() => getComputedStyle(document.getElementById('probe')).fontFamily);
		const before = await v.frames(0);
		await v.click('order', 1);
		equal((await v.frame('order', 1)).share, 1, 'second');
		equal(await v.frames(0), before, 'first');
		assert(!v.page.url().includes('#'), 'address ' + v.page.url());
		await v.page.locator('p').click();
		await v.press('i');
		equal(await v.frames(0), before, 'first after a key for nobody');
		equal(await v.page.evaluate(() => getComputedStyle(document.querySelector('#p')).fontFamily !== '' &&
			document.querySelectorAll('svg').length >= 5), true, 'page');
		assert(!/Menlo/.test(font), 'font of the page: ' + font);
		await v.close();
	},

	async 'two pictures in a dark page keep their colours'() {
		const strip = (url) => fs.readFileSync(url.slice(7), 'utf8').replace(/^<\?xml.*\?>\n/, '');
		const one = strip(picture('plain.svg', SMALL)), two = strip(picture('diff.svg', DIFF));
		const colours = async (...pictures) => {
			const v = await View.open(page('pair.html', '<!DOCTYPE html><meta charset="utf-8">' +
				'<body>' + pictures.join('\n')), {colorScheme: 'dark'});
			const fills = await v.page.evaluate(() => [...document.querySelectorAll('svg.fg')].map(
				(svg) => [...svg.querySelectorAll('[data-fg=frames] > g > rect, [data-fg=legend] rect')]
					.map((rect) => getComputedStyle(rect).fill).join()));
			await v.close();
			return fills;
		};

		equal(await colours(one, two), [...await colours(one), ...await colours(two)], 'colours');
	},

	async 'HTML pages work and keep their state'() {
		const url = picture('page.html', SMALL, '--format', 'html');
		const v = await View.open(url);
		await v.press('i');
		assert(v.page.url().includes('#i=1'), 'keys work from the start: ' + v.page.url());
		await v.click('sort');
		assert(v.page.url().includes('z='), v.page.url());
		const w = await View.open(v.page.url());
		equal((await w.frame('sort')).share, 1, 'sort');
		await w.close();
		/* All keys are to be seen, however small the picture is. */
		const bottom = () => v.page.evaluate(() => ['svg', '[data-fg=help]'].map((name) =>
			document.querySelector(name)?.getBoundingClientRect().bottom));
		const [before] = await bottom();
		await v.press('?');
		const [after, sheet] = await bottom();
		assert(sheet > before && sheet < after, `${before} ${sheet} ${after}`);
		await v.press('?');
		equal((await bottom())[0], before, 'without the help');
		await v.close();
	},

	async 'a page that a browser saved is as good as new'() {
		const stream = '#fold=1;counts=1;unit=samples\n' + Array.from({length: 40}, (_, i) =>
			`#time=${i >> 2}.${i & 3}00000000\nmain;parse;lex 1\n`).join('');
		for (const [text, ...options] of [[SMALL], [stream, '--heatmap']]) {
			for (const format of ['svg', 'html']) {
				const url = picture('unsaved.' + format, text, '--format', format, ...options);
				const v = await View.open(url), frames = await v.frames();
				const count = () => document.querySelectorAll('*').length;
				const elements = await v.page.evaluate(count);
				await v.press('i');
				await v.search('lex');
				await v.press('Escape', '?');
				const saved = await v.page.evaluate((xml) => (xml ?
					new XMLSerializer().serializeToString(document) :
					'<!DOCTYPE html>' + document.documentElement.outerHTML), format === 'svg');
				await v.close();
				const w = await View.open(page('saved.' + format, saved));
				equal(await w.frames(), frames, 'frames ' + format);
				equal(await w.page.evaluate(count), elements, 'elements ' + format);
				await w.search('parse');
				assert(/ \(1\)$/.test(await w.text('matched')), await w.text('matched'));
				await w.close();
			}
		}
	},

	async 'without scripts and styles the drawing is there, in colour'() {
		const url = picture('small.svg', SMALL);
		const text = fs.readFileSync(url.slice(7), 'utf8')
			.replace(/<style[^]*?<\/style>/, '').replace(/<script[^]*?<\/script>/, '');
		const v = await View.open(page('bare.svg', text), {javaScriptEnabled: false});
		const fills = await v.page.locator('[data-fg=frames] rect').evaluateAll((list) =>
			list.map((rect) => getComputedStyle(rect).fill));
		assert(fills.length > 8 && new Set(fills).size > 4, fills.join(' '));
		assert(!fills.includes('rgb(0, 0, 0)'), 'black frames');
		await v.close();
	},

	async 'links are followed, and zoomed with Ctrl'() {
		fs.writeFileSync(path.join(work, 'attr'), 'sort\thref=#elsewhere\ttitle=Sorting\n');
		const v = await View.open(picture('links.svg', SMALL, '--nameattr', path.join(work, 'attr')));
		await v.page.locator('[data-fg=frames] > a rect').click({modifiers: ['Control']});
		await v.settle();
		equal((await v.frame('compare')).share, 0.833, 'zoomed');
		assert((await v.titles()).includes('Sorting'), 'no title after a zoom');
		await v.press('0', 'i');
		assert((await v.titles()).includes('Sorting'), 'no title in an icicle graph');
		await v.close();
	},

	async 'the picture is named, and so is every frame'() {
		const v = await View.open(picture('small.svg', SMALL, '--title', 'My program'));
		const session = await v.context.newCDPSession(v.page);
		const {nodes} = await session.send('Accessibility.getFullAXTree');
		const names = nodes.filter((n) => !n.ignored).map((n) => n.name && n.name.value);
		assert(names.includes('My program'), 'no name of the picture');
		assert(names.includes('sort (30 samples, 30.00%)'), 'no name of sort');
		equal(await v.page.locator('[role=status]').count(), 1, 'live regions');
		await v.close();
	},

	async 'a hundred thousand frames: at most 8000 elements, all reachable'() {
		let text = '', seed = 1;
		for (let i = 0; i < 30000; i++) {
			let line = 'main';
			for (let d = 0; d < 6; d++) {
				seed = (seed * 1103515245 + 12345) % 2147483648;
				line += ';fn' + (seed >> 8) % (d < 2 ? 5 : 60);
			}
			text += `${line} ${1 + i % 7}\n`;
		}
		const v = await View.open(picture('large.svg', text));
		const count = await v.page.evaluate(() => document.querySelectorAll('*').length);
		assert(count <= 8000, `${count} elements`);
		await v.press('Tab', 'ArrowUp');
		for (let depth = 2; depth <= 7; depth++) {
			const row = (await v.frames()).filter((f) => f.row === depth);
			assert(row.length > 0, `no frame in row ${depth}`);
			await v.press('ArrowUp', 'Enter');
		}
		await v.close();
		text = '';
		for (let i = 0; i < 150000; i++)
			text += `main;fn${i} 1\n`;
		const wide = await View.open(picture('wide.svg', text));
		await wide.press('r');
		await wide.search('fn149999');
		equal(await wide.text('matched'), 'Matched: 0.00% (1)', 'in a wide row');
		await wide.close();
	},

	async 'the first screen shows the root, however deep the stacks and large the window'() {
		for (const depth of [8, 40, 128, 1000]) {
			const stack = Array.from({length: depth}, (_, i) => 'f' + i).join(';');
			const url = picture(`first${depth}.svg`, `${stack} 50\nf0;other 50\n`);
			const sees = async (options, ...more) => {
				const v = await View.open(url, options);
				const box = await v.element('all').locator('rect').boundingBox();
				const {width, height} = v.page.viewportSize();
				assert(box.y >= 0 && box.y + box.height <= height && box.width > width - 40,
					`${depth} rows, ${width}x${height} ${more}: ${JSON.stringify(box)}`);
				await v.close();
			};
			for (const [width, height] of [[360, 640], [800, 600], [1200, 800], [1920, 1080]])
				await sees({viewport: {width, height}});
			await sees({viewport: {width: 1200, height: 800}, javaScriptEnabled: false}, 'without script');
		}
	},

	async 'without a canvas a large picture has elements for what is in sight only, and all of them in print'() {
		const v = await View.open(picture('sight.svg', TALL), {viewport: {width: 1200, height: 700}});
		const drawn = async () => {
			const names = await v.names();
			return [1, 148].map((d) => names.some((name) => name.startsWith(`f${d}_`))).join();
		};
		await v.page.addInitScript(() => {
			HTMLCanvasElement.prototype.getContext = () => null;
		});
		await v.page.reload();
		await v.page.waitForFunction(() => document.documentElement.dataset.ready);
		equal(await drawn(), 'true,false', 'at first');
		await v.page.evaluate(() => window.scrollTo(0, 99999));
		await v.settle();
		equal(await drawn(), 'false,true', 'scrolled');
		await v.page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
		equal(await drawn(), 'true,true', 'in print');
		await v.page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
		equal(await drawn(), 'false,true', 'printed');
		/* What has no room for a label is in a path, and found there. */
		await v.page.setViewportSize({width: 500, height: 700});
		await v.settle();
		const count = (await v.names()).length;
		assert(count < 5, `${count} elements`);
		const box = await v.page.locator('[data-fg=slivers]').boundingBox();
		await v.page.mouse.click(box.x + box.width / 2, 350);
		await v.settle();
		equal((await v.frames()).filter((f) => f.share === 1 && f.name.startsWith('f')).length > 5,
			true, 'zoomed');
		await v.close();
	},

	async 'a large picture is on a canvas, in the colours that its elements have in print'() {
		const v = await View.open(picture('canvas.svg', TALL), {viewport: {width: 1200, height: 700}});
		/* Where a frame is, and its fill, as its element in print has it. */
		const printed = async (name) => {
			await v.page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
			const found = await v.page.evaluate((text) => {
				const rect = [...document.querySelectorAll('[data-fg=frames] title')]
					.find((title) => title.textContent.startsWith(text + ' (')).nextElementSibling;
				const {right, top} = rect.getBoundingClientRect(), shown = getComputedStyle(rect);
				const canvas = getComputedStyle(document.querySelector('[data-fg=canvas]')).display;
				return {x: right - 4, y: top + 3, canvas, fill: shown.fill.match(/\d+/g).map(Number)};
			}, name);
			await v.page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
			await v.settle();
			return found;
		};
		const same = async (name, what) => {
			const {x, y, canvas, fill} = await printed(name);
			equal(canvas, 'none', 'canvas in print');
			equal(await v.pixel(x, y), fill, what);
			return {x, y};
		};
		const count = (await v.names()).length;
		assert(count > 20 && count < 60, `${count} elements`);
		const {x, y} = await same('f3_7', 'at first');
		await v.search('^f3_7$');
		await same('f3_7', 'found');
		equal(await v.pixel(x, y), [255, 102, 255], 'colour of what is found');
		await v.search('');
		await v.page.mouse.move(x, y);
		await v.settle();
		assert((await v.page.locator('.tip').textContent()).startsWith('f3_7'), 'tooltip');
		await v.page.mouse.move(5, 5);
		await v.press('d');
		await same('f3_7', 'dark');
		await v.press('d');
		await v.page.locator('[data-fg=key]').first().hover();
		await v.settle();
		const {fill} = await printed('f3_7');
		equal(await v.pixel(x, y), fill, 'of the class that the pointer is at');
		await v.page.mouse.move(5, 5);
		await v.page.evaluate(() => window.scrollTo(0, 99999));
		await v.settle();
		await same('f148_7', 'scrolled');
		await v.close();
	},

	async 'keys reach every frame on a canvas, and a click zooms'() {
		const v = await View.open(picture('reach.svg', TALL), {viewport: {width: 1200, height: 700}});
		await v.press('Tab', 'ArrowDown', 'ArrowDown', 'ArrowDown');
		const seen = new Set([await v.focused()]);
		for (const key of Array(8).fill('ArrowRight').concat(Array(4).fill('ArrowLeft'))) {
			await v.press(key);
			seen.add(await v.focused());
		}
		assert([...seen].every((title) => title.startsWith('f2_')), `focus on ${[...seen]}`);
		assert(seen.size >= 5, `${seen.size} frames of a row`);
		assert((await v.names()).length < 60, 'too many elements');
		const title = await v.focused();
		await v.press('Enter');
		equal((await v.frame(title.split(' ')[0])).share, 1, 'zoomed');
		equal(await v.focused(), title, 'zoomed');
		await v.press('0');
		const [x, y] = await v.middle('all');
		await v.page.mouse.click(x, y + 16 * 20);
		await v.settle();
		assert((await v.names()).some((name) => /^f19_/.test(name)), 'no zoom');
		await v.close();
	},

	async 'the toolbar and the search stay in the window, and do what their keys do'() {
		let text = '';
		for (let i = 0; i < 3; i++)
			text += Array.from({length: 150}, (_, d) => `f${d}_${i}`).join(';') + ' 1\n';
		for (const format of ['svg', 'html']) {
			const v = await View.open(picture('tools.' + format, text, '--format', format),
				{viewport: {width: 900, height: 600}});
			const top = (part) => v.page.evaluate((name) =>
				document.querySelector(`[data-fg=${name}]`).getBoundingClientRect().top, part);
			await v.page.evaluate(() => window.scrollTo(0, 1200));
			await v.settle();
			for (const part of ['query', 'keys']) {
				const y = await top(part);
				assert(y >= 0 && y < 100, `${part} at ${y}`);
			}
			/* A match that is far away is brought into sight; others are counted. */
			await v.search('^f148_[01]$|^f3_1');
			await v.page.evaluate(() => window.scrollTo(0, 1200));
			await v.settle();
			equal(await v.text('count'), '1 above, 2 below', 'matches');
			await v.search('^f140_1$');
			const box = await v.element('f140_1').locator('rect').boundingBox();
			assert(box.y > 0 && box.y < 560, `the match at ${box.y}`);
			equal(await v.text('count'), '', 'no match elsewhere');
			await v.search('');
			await v.page.locator('[data-tool=r]').click();
			await v.settle();
			equal((await v.names())[1].startsWith('f149'), true, 'from the leaves');
			equal(await v.page.locator('[data-tool=r]').getAttribute('aria-pressed'), 'true', 'pressed');
			await v.page.locator('[data-tool=d]').click();
			assert((await v.corner())[0] < 64, 'dark');
			const w = await View.open(v.page.url());
			assert((await w.corner())[0] < 64, 'dark from the address');
			await w.close();
			await v.close();
		}
	},

	async 'a tooltip at the pointer has the name in full, counts and shares'() {
		const long = 'std::vector<std::pair<int, int>>::' + 'emplace_back_with_a_long_name'.repeat(4);
		const v = await View.open(picture('tip.svg', `main;a;${long} 30\nmain;a 10\nmain;b 60\n`));
		const tip = () => v.page.evaluate(() => {
			const box = document.querySelector('.tip'), {left, right, top} = box.getBoundingClientRect();
			return {text: [...box.children].map((line) => line.textContent), left, right, top, shown: box.style.display};
		});
		await v.click('a');
		await v.hover(long);
		await v.settle();
		const found = await tip();
		equal(found.text, [long, '30 samples · 30.00% of all · 75.00% of a', 'self 30 samples · 30.00%'], 'text');
		assert(found.left >= 0 && found.right <= 1280, JSON.stringify(found));
		/* The browser has no tooltip of its own to show there. */
		const native = () => v.page.evaluate(() => document.elementFromPoint(
			...[...document.querySelectorAll('.cover')].map((e) => e.getBoundingClientRect())
				.flatMap((b) => [b.x + 5, b.y + 5])).querySelector('title').textContent);
		equal(await native(), '', 'a second tooltip');
		await v.page.mouse.move(640, 5);
		await v.settle();
		equal([(await tip()).shown, await v.page.locator('.cover').count()], ['none', 0], 'left');
		await v.close();
		const w = await View.open(picture('diff.svg', DIFF));
		await w.hover('grew');
		await w.settle();
		equal(await w.page.locator('.tip > :last-child').textContent(),
			'before 10 · after 30 · change +28.57%', 'a diff');
		await w.close();
	},

	async 'the title has room beside the toolbar, or above it'() {
		const long = 'A title that says what was measured';
		const stream = '#fold=1;counts=1\n#time=1.0\nmain;f 1\n#time=2.0\nmain;g 1\n';
		for (const width of [420, 1000, 1100, 1200, 1500, 2000]) {
			for (const [text, title] of [[SMALL, long], [DIFF, long], [stream, 'two at once']]) {
				const v = await View.open(picture('title.svg', text, '--title', title), {viewport: {width, height: 700}});
				if (width > 420)
					equal(await v.text('title'), title, `${width} px`);
				const [a, b] = await v.page.evaluate(() => ['[data-fg=title]', '.tools'].map((name) =>
					document.querySelector(name).getBoundingClientRect()).map(({left, right, top, bottom}) =>
					({left, right, top, bottom})));
				assert(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top,
					`${width} px: ${JSON.stringify([a, b])}`);
				await v.close();
			}
		}
	},

	async 'axe-core finds nothing in any view'() {
		const axe = fs.readFileSync(path.resolve(process.argv[2], 'node_modules/axe-core/axe.min.js'), 'utf8');
		const stream = '#fold=1;counts=1\n' + [1, 2, 3].map((n) => `#time=${n}.0;tid=${n % 2}\nmain;f;f${n} 1\n`).join('');
		for (const [text, ...keys] of [[SMALL, '', 't', 'e', '?', 'm'], [DIFF, '', 't', 'g'], [stream, '', 'f', 'h']]) {
			const url = picture('axe.html', text, '--format', 'html');
			for (const colorScheme of ['light', 'dark']) {
				const v = await View.open(url, {colorScheme});
				for (const key of keys) {
					if (key !== '')
						await v.press(key);
					await v.page.evaluate(axe);
					const {violations} = await v.page.evaluate(() => window.axe.run());
					equal(violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`), [], `${colorScheme} ${key}`);
				}
				await v.close();
			}
		}
	},
};
