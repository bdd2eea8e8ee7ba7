/* check.js - what flamegraph's pictures do in a browser.

   usage: node check.js FOLDER WORK

   FOLDER has node_modules with playwright-core.  WORK is a folder for files;
   flamegraph is found in the PATH.  Prints "ok NAME" or "not ok NAME: why" for
   each check, and ends with status 0, or 2 if the browser does not start. */
'use strict';

const {execFileSync, spawn} = require('child_process');
const {createRequire} = require('module');
const fs = require('fs');
const path = require('path');

const [folder, work] = process.argv.slice(2).map((arg) => path.resolve(arg));
const {chromium} = createRequire(folder + '/')('playwright-core');
const WIDE = {width: 1280, height: 900};

let browser;

/* A picture of folded text, with options; returns its address. */
function picture(name, text, ...options) {
	const file = path.join(work, name);
	const out = execFileSync('flamegraph', ['-q', ...options],
		{input: text, maxBuffer: 1 << 30});
	fs.writeFileSync(file, out);
	return 'file://' + file;
}

function page(name, html) {
	const file = path.join(work, name);
	fs.writeFileSync(file, html);
	return 'file://' + file;
}

function assert(good, why) {
	if (!good)
		throw new Error(why);
}

function equal(got, want, what) {
	assert(JSON.stringify(got) === JSON.stringify(want),
		`${what || 'value'}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
}

/* A picture opened, with what the checks ask of it. */
class View {
	static async open(url, options = {}) {
		const view = new View();
		view.context = await browser.newContext(
			Object.assign({viewport: WIDE}, options));
		view.page = await view.context.newPage();
		view.errors = [];
		view.page.on('pageerror', (e) => view.errors.push(e.message));
		view.page.on('console', (m) => m.type() === 'error' && view.errors.push(m.text()));
		view.page.on('dialog', (d) => {
			view.errors.push('dialog: ' + d.message());
			d.dismiss();
		});
		view.page.on('request', (r) => /^(file|data|blob|about):/.test(r.url()) ||
			view.errors.push('request: ' + r.url()));
		await view.page.goto(url);
		if (options.javaScriptEnabled !== false)
			await view.page.waitForFunction(() =>
				[...document.querySelectorAll('svg[data-cfg]')].every((s) => s.dataset.ready));
		return view;
	}

	async settle() {
		await this.page.evaluate(() => new Promise((done) =>
			requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));
	}

	/* [name, title, share of the root's width, row] of all frames. */
	async frames(svg = 0) {
		return this.page.evaluate((n) => {
			const root = document.querySelectorAll('svg[class^=fg]')[n];
			const all = [...root.querySelectorAll('[data-fg=frames] > :is(g, a)')]
				.filter((g) => g.querySelector('title'));
			const boxes = all.map((g) => g.querySelector('rect').getBoundingClientRect());
			const bottom = Math.max(...boxes.map((b) => Math.round(b.top)));
			const wide = Math.max(...boxes.map((b) => b.width));
			return all.map((g, i) => {
				const title = g.querySelector('title').textContent;
				return {
					name: title.slice(0, title.lastIndexOf(' (')), title,
					share: Math.round(1000 * boxes[i].width / wide) / 1000,
					row: Math.round((bottom - boxes[i].top) / 16),
					left: boxes[i].left, cls: g.getAttribute('class'),
					text: [...g.querySelectorAll('text')].map((t) => t.textContent),
				};
			});
		}, svg);
	}

	async titles() {
		return (await this.frames()).map((f) => f.title);
	}

	async names(svg) {
		return (await this.frames(svg)).map((f) => f.name);
	}

	async frame(name, svg) {
		return (await this.frames(svg)).find((f) => f.name === name);
	}

	element(name, svg = 0) {
		return this.page.locator('svg[class^=fg]').nth(svg)
			.locator('[data-fg=frames] > :is(g, a)')
			.filter({has: this.page.locator(`title:text("${name} (")`)}).first();
	}

	async click(name, svg) {
		await this.element(name, svg).locator('rect').click();
		await this.settle();
	}

	async press(...keys) {
		for (const key of keys) {
			await this.page.keyboard.press(key);
			await this.settle();
		}
	}

	async search(text) {
		await this.page.locator('[data-fg=query]').first().fill(text);
		await this.settle();
	}

	async text(part) {
		return this.page.evaluate((name) =>
			document.querySelector(`[data-fg=${name}]`).textContent, part);
	}

	async focused() {
		return this.page.evaluate(() =>
			document.activeElement.querySelector(':scope > title')?.textContent || '');
	}

	async corner() {
		const png = await this.page.screenshot({clip: {x: 2, y: 2, width: 1, height: 1}});
		return this.page.evaluate(async (data) => {
			const image = await createImageBitmap(await (await fetch(data)).blob());
			const canvas = new OffscreenCanvas(1, 1).getContext('2d');
			canvas.drawImage(image, 0, 0);
			return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
		}, 'data:image/png;base64,' + png.toString('base64'));
	}

	async close() {
		const {errors} = this;
		await this.context.close();
		equal(errors, [], 'errors');
	}
}

const SMALL = `main;parse;lex;read_[k] 30
main;parse;lex 10
main;parse;tree 20
main;sort;compare 25
main;sort 5
main;tail;lex;read_[k] 9
main;tail;hidden;a 0.5
main;tail;hidden;b 0.5
`;

const DIFF = `main;same 10 10
main;grew 10 30
main;shrank 30 10
main;gone 20 0
main;new 0 20
`;

/*
 * A stream of 14 seconds: work that changes, each second a timer, a pause,
 * weights, and names that would like to be more than names.
 */
function stream() {
	const stacks = ['main;serve;parse', 'main;serve;query;read_[k]', 'main;serve;</script><b>x',
		'main;collect;mark', 'main;timer', 'main;a&amp;"b\'];]]>'];
	let text = '#fold=1;counts=1;unit=ns;clock=perf\n', seed = 7, ns = 5000123456;
	while (ns < 19e9) {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		const second = Math.floor(ns / 1e9) % 10, part = ns % 1e9 / 1e9;
		const which = part > 0.4 && part < 0.5 ? 4 : second === 7 ? 3 : (seed >> 8) % 3 + (second === 9 ? 3 : 0);
		if (second !== 8 || part > 0.7)
			text += `#time=${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}\n` +
				`${stacks[which]} ${1000000 + seed % 3 * 1000}\n`;
		ns += 500000 + (seed >> 4) % 9000000;
	}
	return text;
}

const STREAM = stream();

/* The samples from one time on until another, in ns, as awk finds them. */
function between(from, to) {
	return execFileSync('awk', ['-v', `from=${from}`, '-v', `to=${to}`, `
		/^#time/ { t = substr($0, 7, index($0, ".") - 7) substr($0, index($0, ".") + 1) }
		/^#/ { if (/fold/) print; next }
		t + 0 >= from + 0 && t + 0 < to + 0`], {input: STREAM});
}

/* The heat map of STREAM: 25 rows of 40 ms, 14 columns from second 5 on. */
class HeatView extends View {
	static async heat(name, ...options) {
		const url = picture(name, STREAM, '--heatmap', '--rows', '25', ...options);
		return Object.setPrototypeOf(await View.open(url), HeatView.prototype);
	}

	/* Where a cell is, or with row -1 the label below a column. */
	async at(column, row) {
		const box = await this.page.locator('[data-fg=heat] > .none').boundingBox();
		return [box.x + (column + 0.5) * box.width / 14,
			box.y + box.height - (row + 0.5) * box.height / 25];
	}

	async tap(column, row, modifier) {
		if (modifier)
			await this.page.keyboard.down(modifier);
		await this.page.mouse.click(...await this.at(column, row));
		if (modifier)
			await this.page.keyboard.up(modifier);
		await this.settle();
	}

	/* The picture shows what is in the columns and rows, the last not. */
	async shows(column, row, end, endRow, what) {
		const ns = (c, r) => (5 + c) * 1e9 + r * 4e7;
		const want = await View.open(picture('part.svg', between(ns(column, row), ns(end, endRow)),
			'--countname', 'ns'));
		equal((await this.titles()).sort(), (await want.titles()).sort(), what);
		await want.close();
	}
}

const checks = {
	async 'ready without errors'() {
		const v = await View.open(picture('small.svg', SMALL));
		assert((await v.names()).includes('compare'), 'no frame compare');
		await v.close();
	},

	async 'the static drawing is taken over, not drawn again'() {
		const url = picture('taken.svg', SMALL, '--width', '1200');
		const text = fs.readFileSync(url.slice(7), 'utf8').replace('<script><![CDATA[',
			'<script>for (const g of document.querySelectorAll("svg svg > g")) g.was = true;</script><script><![CDATA[');
		const v = await View.open(page('taken2.svg', text));
		equal(await v.page.evaluate(() =>
			[...document.querySelectorAll('svg svg > g:not([data-fg])')].every((g) => g.was)), true, 'the same elements');
		await v.close();
	},

	async 'a click zooms in, and on a caller out again'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.click('sort');
		equal((await v.frame('sort')).share, 1, 'width of sort');
		equal((await v.frame('compare')).share, 0.833, 'width of compare');
		equal((await v.frame('main')).cls.includes('fade'), true, 'main is pale');
		equal(await v.frame('parse'), undefined, 'parse');
		await v.click('main');
		equal((await v.frame('sort')).share, 0.3, 'width of sort after');
		await v.close();
	},

	async 'a link, 0 and Esc reset the view'() {
		const v = await View.open(picture('small.svg', SMALL));
		const before = await v.frames();
		for (const reset of [() => v.page.locator('[data-fg=reset]').click(),
			() => v.press('0'), () => v.press('Escape')]) {
			await v.click('parse');
			await reset();
			await v.settle();
			equal(await v.frames(), before, 'frames');
		}
		await v.close();
	},

	async 'what is too narrow appears when zoomed into'() {
		const text = SMALL.replace(/0\.5/g, '0.0009');
		const v = await View.open(picture('narrow.svg', text));
		equal(await v.frame('hidden'), undefined, 'hidden before');
		await v.click('tail');
		assert(!(await v.names()).includes('hidden'), 'still too narrow');
		await v.close();
		const w = await View.open(picture('narrow.svg', SMALL.replace(/0\.5/g, '0.02')));
		equal(await w.frame('hidden'), undefined, 'hidden before');
		await w.click('tail');
		equal((await w.names()).includes('hidden'), true, 'hidden after');
		await w.close();
	},

	async 'a frame without an element of its own is found by the pointer'() {
		const v = await View.open(picture('narrow.svg', SMALL.replace(/0\.5/g, '0.05')));
		const tail = await v.element('tail').locator('rect').boundingBox();
		await v.page.mouse.move(Math.ceil(tail.x + 0.4), tail.y - 8);
		await v.settle();
		const details = await v.text('details');
		assert(details.includes('hidden ('), `details: ${details}`);
		await v.close();
	},

	async 'search looks at names only, ignoring case unless it has capitals'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.search('LEX|samples');
		equal((await v.text('matched')), 'Matched: 0.00% (0)', 'LEX');
		await v.search('lex');
		equal((await v.text('matched')), 'Matched: 49.00% (2)', 'lex');
		equal((await v.frames()).filter((f) => f.cls.includes('hit')).map((f) => f.name),
			['lex', 'lex'], 'highlighted');
		await v.search('_\\[k');
		equal((await v.text('matched')), 'Matched: 0.00% (0)', 'suffix');
		await v.search('[(');
		equal((await v.text('matched')), 'no regular expression', 'bad regex');
		await v.search('');
		equal((await v.text('matched')), '', 'cleared');
		await v.close();
	},

	async 'the share found is that of the zoomed frame'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.search('read');
		await v.click('parse');
		equal((await v.text('matched')), 'Matched: 50.00% (1)', 'of parse');
		await v.close();
	},

	async 'n and N go to the next and last match'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.search('lex|sort');
		await v.press('Escape', 'n');
		assert((await v.focused()).startsWith('lex (40'), await v.focused());
		await v.press('n');
		assert((await v.focused()).startsWith('sort ('), await v.focused());
		await v.press('N');
		assert((await v.focused()).startsWith('lex (40'), await v.focused());
		await v.close();
	},

	async 'arrows walk, Enter zooms, keys work from the start'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.press('Tab');
		assert((await v.focused()).startsWith('all ('), 'Tab: ' + await v.focused());
		await v.press('ArrowUp', 'ArrowUp');
		assert((await v.focused()).startsWith('parse ('), 'widest: ' + await v.focused());
		await v.press('ArrowRight');
		assert((await v.focused()).startsWith('sort ('), 'right: ' + await v.focused());
		await v.press('ArrowLeft', 'ArrowDown');
		assert((await v.focused()).startsWith('main ('), 'down: ' + await v.focused());
		await v.press('ArrowUp', 'Enter');
		equal((await v.frame('parse')).share, 1, 'parse');
		assert((await v.focused()).startsWith('parse ('), 'after zoom: ' + await v.focused());
		await v.press('/');
		equal(await v.page.evaluate(() => document.activeElement.dataset.fg), 'query', 'slash');
		await v.close();
	},

	async 'i turns flames into icicles'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.press('i');
		const all = await v.frame('all'), main = await v.frame('main');
		assert(main.row < all.row, 'main is below all');
		await v.press('i');
		assert((await v.frame('main')).row > (await v.frame('all')).row, 'and back');
		await v.close();
	},

	async 'r merges from the leaves'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.press('r');
		equal(await v.names(), await (async () => {
			const w = await View.open(picture('reversed.svg', SMALL, '--reverse'));
			const names = await w.names();
			await w.close();
			return names;
		})(), 'names as of --reverse');
		await v.click('read');
		equal((await v.frame('read')).share, 1, 'zoomed');
		equal((await v.frame('tail')).share, 0.231, 'tail');
		await v.close();
	},

	async 's shows callers below and callees above one function'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.element('lex').hover();
		await v.press('s');
		const lex = await v.frame('lex');
		equal([lex.title, lex.share], ['lex (49 samples, 49.00%)', 1], 'lex');
		equal((await v.frame('read')).row > lex.row, true, 'read is above');
		equal((await v.frame('tail')).row < lex.row, true, 'tail is below');
		equal((await v.frame('tail')).share, 0.184, 'tail');
		await v.press('s');
		equal((await v.frame('lex')).share < 1, true, 'and back');
		await v.close();
	},

	async 'o orders by weight and by input'() {
		const v = await View.open(picture('order.svg', 'm;b 1\nm;c 5\nm;a 3\n'));
		const order = async () => (await v.frames()).filter((f) => f.row === 2)
			.sort((a, b) => a.left - b.left).map((f) => f.name).join('');
		equal(await order(), 'abc', 'name');
		await v.press('o');
		equal(await order(), 'cab', 'weight');
		await v.press('o');
		equal(await order(), 'bca', 'input');
		await v.press('o');
		equal(await order(), 'abc', 'name again');
		await v.close();
	},

	async 'x hides a stack, and the rest is all'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.element('sort').hover();
		await v.press('x');
		equal(await v.frame('sort'), undefined, 'sort');
		equal((await v.frame('parse')).title, 'parse (60 samples, 85.71%)', 'parse');
		await v.press('0');
		equal((await v.frame('sort')).title, 'sort (30 samples, 30.00%)', 'sort is back');
		await v.close();
	},

	async 'c copies a stack'() {
		const v = await View.open(picture('small.svg', SMALL),
			{permissions: ['clipboard-read', 'clipboard-write']});
		await v.element('compare').hover();
		await v.press('c');
		equal(await v.page.evaluate(() => navigator.clipboard.readText()),
			'main;sort;compare', 'clipboard');
		await v.close();
		/* Where the browser does not let it, that is said. */
		const w = await View.open(picture('small.svg', SMALL), {permissions: []});
		await w.element('compare').hover();
		await w.press('c');
		assert(/^cop|cannot copy here/.test((await w.text('details')).replace(/.*%\)/, '')),
			await w.text('details'));
		await w.close();
	},

	async 'details tell counts, shares and the function in all stacks'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.element('lex').hover();
		await v.settle();
		const text = await v.text('details');
		for (const part of ['Function: lex (40 samples, 40.00%)', 'self 10.00%',
			'66.67% of caller', 'in all stacks 49.00% in 2 places'])
			assert(text.includes(part), `${part}: ${text}`);
		await v.close();
	},

	async 'details have an interval where the samples are known'() {
		const v = await View.open(picture('meta.svg', '#fold=1;unit=samples\nm;a 50\nm;b 50\n'));
		await v.element('a').hover();
		await v.settle();
		const text = await v.text('details');
		assert(text.includes('95%: 40.38–59.62%'), text);
		await v.close();
	},

	async 'recursion is counted once'() {
		const v = await View.open(picture('rec.svg', 'f;f;f 6\nf;g;f 2\nh 2\n'));
		await v.element('g').hover();
		await v.page.mouse.move(600, 5);
		await v.element('f').hover();
		await v.settle();
		const text = await v.text('details');
		assert(text.includes('in all stacks 80.00% in 1 place'), text);
		await v.close();
	},

	async 'the address keeps zoom, search and view, for any width'() {
		const url = picture('small.svg', SMALL);
		const v = await View.open(url);
		await v.press('i');
		await v.search('read');
		await v.click('lex');
		const kept = v.page.url(), matched = await v.text('matched');
		assert(kept !== url, 'no state in ' + kept);
		await v.close();
		const w = await View.open(kept, {viewport: {width: 700, height: 500}});
		equal((await w.frame('lex')).share, 1, 'lex');
		equal(await w.text('matched'), matched, 'matched');
		assert((await w.frame('main')).row > (await w.frame('lex')).row, 'icicles');
		await w.close();
		picture('small.svg', SMALL + 'aaa;new;stack 100\n');
		const x = await View.open(kept);
		equal((await x.frame('lex')).share, 1, 'lex in a newer picture');
		await x.close();
	},

	async 'a picture that is drawn anew is loaded again, zoomed and searched as it was'() {
		const w = await View.open(picture('small.svg', SMALL));
		await w.search('read');
		await w.click('lex');
		const {hash} = new URL(w.page.url());
		await w.close();

		const file = path.join(work, 'live.svg');
		const live = spawn('flamegraph', ['--follow', '--refresh', '0.2', '-o', file],
			{stdio: ['pipe', 'inherit', 'inherit']});
		const ended = new Promise((done) => live.on('close', done));
		const write = (time, stacks) => live.stdin.write(
			`#fold=1;kind=window;time=${time}.000000000;dur=1.000000000\n${stacks}\n`);
		write(1, SMALL);
		while (!fs.existsSync(file))
			await new Promise((done) => setTimeout(done, 20));
		const v = await View.open('file://' + file + hash);
		write(2, SMALL + 'main;parse;lex;brand_new 1000\n');
		live.stdin.end();
		await ended;
		/* It loads itself, and the last picture no more. */
		await v.page.waitForFunction(() => document.documentElement.dataset.ready &&
			!JSON.parse(document.documentElement.dataset.cfg).refresh);
		await v.page.evaluate(() => {
			window.same = true;
		});
		assert((await v.names()).includes('brand_new'), 'the new picture');
		equal((await v.frame('lex')).share, 1, 'lex');
		assert(decodeURIComponent(new URL(v.page.url()).hash).includes('s=read'), 'search');
		await v.page.waitForTimeout(600);
		equal(await v.page.evaluate(() => window.same), true, 'the same page');
		await v.close();
	},

	async 'the address keeps order, reverse, hidden stacks and sandwich'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.element('tail').hover();
		await v.press('x', 'o', 'r');
		const names = await v.names();
		await v.click('lex');
		const w = await View.open(v.page.url());
		equal((await w.frame('lex')).share, 1, 'zoom in reverse');
		await w.press('0');
		await w.close();
		await v.close();
		assert(!names.includes('tail'), 'tail is hidden');
	},

	async 'a diff has colours, changes, a legend and marks'() {
		const v = await View.open(picture('diff.svg', DIFF));
		const grew = await v.frame('grew');
		equal(grew.title, 'grew (30 samples, 42.86%; +28.57%)', 'title');
		equal(grew.text, ['grew', '+28.6%'], 'texts');
		equal((await v.frame('new')).cls.includes('one'), true, 'new is marked');
		equal((await v.text('legend')).replace(/\s+/g, ' ').trim(), 'shrank grew', 'legend');
		equal(await v.frame('gone'), undefined, 'gone');
		await v.press('g');
		equal((await v.frame('gone')).title, 'gone (20 samples, 28.57%; -28.57%)', 'gone, before');
		await v.press('g', 'a');
		assert((await v.frame('main')).title.includes('; 0.00%'), 'total change of main');
		await v.close();
	},

	async 'a tested diff shows what was found, and all with a'() {
		const text = '#fold=1;counts=2;test=1\n#node=main%3Bgrew;class=up;lo=1.5;hi=9;q=0.01\n' + DIFF;
		const v = await View.open(picture('tested.svg', text));
		equal((await v.frame('shrank')).cls, 'c8', 'shrank is grey');
		equal((await v.frame('grew')).cls, 'c16', 'grew');
		await v.element('grew').hover();
		await v.settle();
		const details = await v.text('details');
		assert(details.includes('up: ratio 1.5–9, q 0.01'), details);
		assert(details.includes('before 10 samples, change +28.57%'), details);
		await v.press('a');
		equal((await v.frame('shrank')).cls, 'c0', 'shrank after a');
		await v.press('a', 'o');
		equal((await v.frame('grew')).cls, 'c16', 'grew, by weight');
		await v.close();
	},

	async 'counts beyond 2^53 are exact'() {
		const v = await View.open(picture('big.svg', 'm;a 9007199254740993\nm;b 9007199254740995\n'));
		await v.click('m');
		equal((await v.frame('m')).title, 'm (18,014,398,509,481,988 samples, 100.00%)', 'm');
		equal((await v.frame('b')).title, 'b (9,007,199,254,740,995 samples, 50.00%)', 'b');
		await v.close();
	},

	async 'a stack 10,000 deep opens and zooms'() {
		const deep = Array.from({length: 10000}, (_, i) => 'f' + i).join(';');
		const v = await View.open(picture('deep.svg', deep + ' 5\nf0;other 5\n', '--inverted'));
		equal((await v.names()).length, 10002, 'frames');
		await v.click('f1');
		equal((await v.frame('f1')).share, 1, 'f1');
		await v.close();
	},

	async 'hostile names stay text'() {
		const evil = '</title><script>alert(1)</script>;<img src=x onerror=alert(2)>;' +
			']]>"\'&amp;;javascript:alert(3) 7\n';
		const v = await View.open(picture('evil.svg', evil,
			'--title', '<svg onload=alert(4)>', '--countname', '"><script>alert(5)</script>',
			'--nametype', '\'"><b>', '--notes', '--><script>alert(6)</script>'));
		equal(await v.page.evaluate(() => [document.querySelectorAll('script').length,
			document.querySelectorAll('img, b').length]), [1, 0], 'elements');
		await v.click('<img src=x onerror=alert(2)>');
		await v.press('r', 'i', 's');
		await v.close();
		/* What is shown stays as svgtext_name() has it. */
		const marks = await View.open(picture('marks.svg', '\ufeffmain;a\u061cb;_[k] 7\n'));
		const before = await marks.titles();
		equal(before[2], 'a\ufffdb (7 samples, 100.00%)', 'a mark of direction');
		await marks.press('r', 'r');
		equal(await marks.titles(), before, 'titles');
		await marks.close();
	},

	async 'two clicks in the heat map choose a range, whose samples are shown'() {
		const v = await HeatView.heat('heat.svg', '--countname', 'ns');
		await v.shows(0, 0, 14, 0, 'all');
		await v.tap(3, 20);
		await v.shows(0, 0, 14, 0, 'after one click');
		await v.tap(1, 5);
		await v.shows(1, 5, 3, 21, 'backwards');
		assert((await v.text('range')).startsWith('1.20–3.84 s'), await v.text('range'));
		await v.tap(2, 10);
		await v.tap(2, 10);
		await v.shows(2, 10, 2, 11, 'one cell');
		await v.tap(4, 24, 'Shift');
		await v.shows(2, 10, 5, 0, 'with Shift');
		await v.page.locator('#all').click();
		await v.shows(0, 0, 14, 0, 'all again');
		await v.close();
	},

	async 'a drag in the heat map, labels and a double click choose, too'() {
		const v = await HeatView.heat('heat.svg', '--countname', 'ns');
		await v.page.mouse.move(...await v.at(6, 3));
		await v.page.mouse.down();
		await v.page.mouse.move(...await v.at(8, 3), {steps: 4});
		await v.page.mouse.up();
		await v.settle();
		await v.shows(6, 3, 8, 4, 'dragged');
		await v.page.mouse.move(...await v.at(12, 9));
		await v.page.mouse.down();
		await v.page.mouse.move(...await v.at(14.2, 5), {steps: 4});
		await v.page.mouse.up();
		await v.settle();
		await v.shows(12, 9, 13, 6, 'dragged out of it');
		await v.tap(2, -1);
		await v.tap(4, -1);
		await v.shows(2, 0, 5, 0, 'from label to label');
		await v.page.mouse.dblclick(...await v.at(9, 9));
		await v.settle();
		await v.shows(9, 0, 10, 0, 'double click');
		await v.close();
	},

	async 'keys choose ranges in the heat map, Esc shows all'() {
		const v = await HeatView.heat('heat.svg', '--countname', 'ns');
		await v.press('h', 'ArrowRight', 'ArrowUp', 'Enter', 'ArrowRight', 'ArrowUp', 'Enter');
		await v.shows(1, 1, 2, 3, 'Enter');
		assert((await v.text('details')).startsWith('2.08–2.12 s: '), await v.text('details'));
		await v.press('Shift+ArrowRight', 'Shift+ArrowDown');
		await v.shows(1, 1, 3, 2, 'Shift');
		await v.press('w', 'ArrowRight');
		await v.press('w');
		await v.shows(3, 0, 5, 0, 'w');
		await v.press('Enter', 'Escape');
		await v.shows(3, 0, 5, 0, 'begun and left');
		await v.press('Escape');
		await v.shows(0, 0, 14, 0, 'all');
		await v.close();
	},

	async 'zoom, search and order go on in a range, and the address keeps it'() {
		const v = await HeatView.heat('heat.svg', '--countname', 'ns');
		await v.click('serve');
		await v.search('parse');
		await v.tap(1, -1);
		await v.tap(1, -1);
		equal((await v.frame('serve')).share, 1, 'zoomed');
		const share = /[0-9.]+%/.exec(await v.text('matched'))[0];
		const w = await View.open(v.page.url());
		await w.settle();
		equal(await w.titles(), await v.titles(), 'from the address');
		equal(/[0-9.]+%/.exec(await w.text('matched'))[0], share, 'share found');
		Object.setPrototypeOf(w, HeatView.prototype);
		await w.search('');
		await w.tap(2, 3, 'Shift');
		await w.press('0');
		equal((await w.text('range')).split(' ')[0], '1.00–2.16', 'with Shift');
		await w.close();
		const odd = await View.open(v.page.url().replace(/#.*/, '#t=1-1e999'));
		equal(await odd.page.locator('#all').isVisible(), false, 'a range without an end');
		await odd.close();
		await v.tap(2, -1);
		await v.tap(2, -1);
		equal((await v.frame('main')).share, 1, 'out of what is not there');
		equal(await v.frame('serve'), undefined, 'serve');
		await v.tap(3, 2);
		await v.tap(3, 3);
		equal(await v.names(), ['all'], 'a pause');
		await v.press('r', 's', 'o', 'i');
		await v.close();
	},

	async 'what --max-frames sums up is in the ranges'() {
		const v = await HeatView.heat('heat.svg', '--max-frames', '5');
		const all = await v.titles();
		assert(all.some((title) => title.includes(' more)')), all.join());
		await v.tap(0, 0);
		await v.tap(13, 24);
		equal((await v.titles()).sort(), all.sort(), 'all chosen');
		await v.close();
	},

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
		await v.element('parse').hover();
		await v.search('lex');
		const fills = await v.page.evaluate(() => ['title', 'keys', 'details', 'matched'].map((name) =>
			getComputedStyle(document.querySelector(`[data-fg=${name}]`)).fill.match(/\d+/g)));
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
};

/* A browser that has died may leave promises that nobody will keep. */
function inTime(promise) {
	let timer;
	const limit = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error('no answer for two minutes')), 120000);
	});

	return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

async function main() {
	browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || undefined,
		args: ['--no-sandbox', '--disable-gpu'],
	});
	browser.on('disconnected', () => process.exit(1));
	for (const [name, check] of Object.entries(checks)) {
		try {
			await inTime(check());
			console.log(`ok ${name}`);
		} catch (error) {
			console.log(`not ok ${name}: ${String(error.message).split('\n')[0]}`);
		}
	}
	browser.removeAllListeners('disconnected');
	await browser.close();
	/* Whatever a check that failed has left running. */
	process.exit(0);
}

main().catch((error) => {
	console.error(error.message);
	process.exit(2);
});
