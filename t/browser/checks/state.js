/* state.js - details, and what the address keeps. */
'use strict';

const {spawn} = require('child_process');
const fs = require('fs');
const path = require('path');

const {SMALL, View, assert, equal, picture, work} = require('../view');

module.exports = {
	async 'details tell counts, shares and the function in all stacks'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('lex');
		await v.settle();
		const text = await v.text('details');
		for (const part of ['Function: lex (40 samples, 40.00%)', 'self 10.00%',
			'66.67% of caller', 'in all stacks 49.00% in 2 places'])
			assert(text.includes(part), `${part}: ${text}`);
		await v.close();
	},

	async 'details have an interval where the samples are known'() {
		const v = await View.open(picture('meta.svg', '#fold=1;unit=samples\nm;a 50\nm;b 50\n'));
		await v.hover('a');
		await v.settle();
		const text = await v.text('details');
		assert(text.includes('95%: 40.38–59.62%'), text);
		await v.close();
	},

	async 'the interval is that of the samples that are left'() {
		const about = async (v, name) => {
			await v.hover(name);
			await v.settle();
			return /95%: [^ ]*/.exec(await v.text('details'))[0];
		};
		const v = await View.open(picture('left.svg',
			'#fold=1;unit=samples\nm;a 50\nm;b 50\nm;big 9900\n'));
		await v.hover('big');
		await v.press('x');
		equal(await about(v, 'a'), '95%: 40.38–59.62%', 'without big');
		await v.close();
		/* Of the picture before, and where there is room left. */
		const w = await View.open(picture('left.svg',
			'#fold=1;counts=2;unit=samples\nm;a 50 5000\nm;b 50 1000\n'));
		await w.press('g');
		equal(await about(w, 'a'), '95%: 40.38–59.62%', 'before');
		await w.close();
		const x = await View.open(picture('left.svg',
			'#fold=1;unit=samples\nm;a 50\n', '--total', '100'));
		equal(await about(x, 'a'), '95%: 40.38–59.62%', 'with --total');
		await x.close();
	},

	async 'recursion is counted once'() {
		const v = await View.open(picture('rec.svg', 'f;f;f 6\nf;g;f 2\nh 2\n'));
		await v.hover('g');
		await v.page.mouse.move(600, 5);
		await v.hover('f');
		await v.settle();
		const text = await v.text('details');
		assert(text.includes('in all stacks 80.00% in 1 place'), text);
		await v.press('s');
		await v.page.mouse.move(600, 5);
		await v.hover('f');
		await v.settle();
		assert((await v.text('details')).includes('self 80.00%'), await v.text('details'));
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

	async 'an address does not zoom in on what has no counts'() {
		const v = await View.open(picture('gone.svg', 'main;a;gone 5 0\nmain;a;stay 4 6\nmain;new 0 3\n'));
		await v.press('g');
		await v.click('gone');
		const {hash} = new URL(v.page.url());
		await v.page.evaluate((text) => { location.hash = text; }, hash.replace('&g=1', ''));
		await v.settle();
		equal((await v.frames()).map((f) => [f.name, f.share]),
			[['all', 1], ['main', 1], ['a', 1], ['stay', 1]], 'frames');
		await v.page.reload();
		await v.settle();
		equal((await v.names()), ['all', 'main', 'a', 'stay'], 'loaded');
		await v.close();
	},

	async 'a search of the address that is no regular expression is told'() {
		const v = await View.open(picture('small.svg', SMALL) + '#s=(');
		equal([await v.query(), await v.text('matched')],
			['(', 'no regular expression'], 'search');
		await v.close();
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

	async 'a thin frame stays zoomed in a view from the leaves'() {
		const v = await View.open(picture('thin.svg',
			'm;big 1000000\nm;a;b;c;leaf 20\nm;a;b;other;leaf 1980\n', '--inverted'));
		const wide = async (view) => (await view.frames()).filter((f) => f.share === 1)
			.map((f) => f.cls.includes('fade') + f.name).sort().join();
		await v.press('r');
		for (const name of ['leaf', 'c', 'b', 'a'])
			await v.click(name);
		const zoomed = await wide(v);
		assert(zoomed.includes('falsea') && zoomed.includes('trueb'), zoomed);
		const w = await View.open(v.page.url());
		equal(await wide(w), zoomed, 'from the address');
		await w.close();
		await v.press('i');
		equal(await wide(v), zoomed, 'after i');
		await v.close();
	},

	async 'the address keeps order, reverse, hidden stacks and sandwich'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('tail');
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
};
