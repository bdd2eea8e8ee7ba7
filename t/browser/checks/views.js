/* views.js - zoom, search, and other views of the same frames. */
'use strict';

const fs = require('fs');

const {DIFF, SMALL, View, assert, equal, page, picture} = require('../view');

module.exports = {
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

	async 'numbers are rounded as they are in the drawing'() {
		for (const [name, text, ...options] of [
			['shares', 'a;b 1\na;c 3\na;d 9\na 19\n'],
			['halves', 'a;b 1\na;c 3\na;d 5\na 19\n', '--factor', '0.125'],
			['wholes', 'a;b 1\na;c 3\na;d 5\n', '--factor', '1.5'],
			['change', 'a;b 1 3\na;c 9 4\na 22 25\n']]) {
			const url = picture(`${name}.svg`, text, ...options, '--width', '1200');
			const shown = async (v) => (await v.frames()).map((f) => [f.title, ...f.text]).sort();
			const plain = await View.open(url, {javaScriptEnabled: false});
			const drawn = await shown(plain);
			await plain.close();
			const v = await View.open(url);
			await v.press('o', 'i');
			equal(await shown(v), drawn, name);
			await v.close();
		}
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

	async 'Esc leaves the search field as it is'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.press('/');
		await v.page.keyboard.type('lex');
		await v.press('Escape');
		equal([await v.query(), await v.text('matched')],
			['lex', 'Matched: 49.00% (2)'], 'after Esc');
		await v.search('');
		equal(await v.text('matched'), '', 'without a search');
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
		/* In other views, among what is drawn. */
		await v.press('r', 'n');
		const first = await v.focused();
		await v.press('n');
		equal([first, await v.focused()],
			['sort (25 samples, 25.00%)', 'lex (10 samples, 10.00%)'], 'from the leaves');
		await v.press('N');
		equal(await v.focused(), first, 'and back');
		await v.press('s', 'N');
		assert((await v.focused()).startsWith('sort (30'), 'callers: ' + await v.focused());
		await v.search('lex');
		await v.press('Escape', 'n');
		assert((await v.text('details')).endsWith('no match is drawn here'), await v.text('details'));
		await v.close();
	},

	async 'what keys lead to is not behind the details'() {
		const deep = Array.from({length: 300}, (_, i) => 'f' + i).join(';');
		for (const options of [['--inverted'], ['--inverted', '--format', 'html'], []]) {
			const v = await View.open(picture(`behind.${options[2] || 'svg'}`, `${deep} 5\n`, ...options));
			await v.search('^f[12]00$');
			await v.press('Escape');
			for (const key of ['n', 'n', 'N']) {
				await v.press(key);
				const [above, bottom, bar] = await v.page.evaluate(() => {
					const box = document.activeElement.querySelector(':scope > rect').getBoundingClientRect();
					return [box.top, box.bottom, document.querySelector('[data-fg=foot] .bar').getBoundingClientRect().top];
				});
				assert(above >= 0 && bottom <= bar, `${options} ${key}: ${above} ${bottom} ${bar}`);
			}
			await v.close();
		}
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

	async 'keys stay on their frame when the view changes'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.press('Tab', 'ArrowUp', 'ArrowUp');
		for (const key of ['i', 'o', 'i', 'o']) {
			await v.press(key);
			assert((await v.focused()).startsWith('parse ('), `${key}: ${await v.focused()}`);
			assert((await v.text('details')).includes('parse (') || key === 'o', key);
		}
		await v.press('x');
		assert((await v.focused()).startsWith('main (40'), 'hidden: ' + await v.focused());
		await v.press('Escape');
		assert((await v.focused()).startsWith('all (100'), 'shown: ' + await v.focused());
		await v.press('r', 'ArrowDown');
		assert((await v.focused()).startsWith('all ('), 'from the leaves: ' + await v.focused());
		await v.press('r', '/', 'i');
		equal(await v.page.evaluate(() => document.activeElement.dataset.fg), 'query', 'the search');
		await v.close();
	},

	async 'arrows walk among callers of a function in the middle, too'() {
		const v = await View.open(picture('callers.svg',
			'main;a;mid;f;g 5\nmain;b;mid;f;h 3\nx;c;mid;k 4\nmain;a 4\n'));
		await v.press('Tab', 'ArrowUp', 'ArrowUp', 'ArrowUp', 's');
		const names = [await v.focused()];
		for (const key of ['Down', 'Down', 'Right', 'Up', 'Up', 'Up', 'Up', 'Down', 'Down', 'Down']) {
			await v.press('Arrow' + key);
			names.push(await v.focused());
		}
		equal(names.map((name) => name.split(' ')[0]).join(' '),
			'mid a main main b mid f g f mid a', 'the way');
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

	async 'r leaves as much room as --total does'() {
		const v = await View.open(picture('room.svg', 'm;a 1\nm;b 3\n', '--total', '8'));
		await v.press('r');
		const all = await v.frame('all'), a = await v.frame('a');
		equal(all.title, 'all (8 samples, 100%)', 'all');
		equal([a.title, a.share], ['a (1 samples, 12.50%)', 0.125], 'a');
		equal(Math.round(a.left), Math.round(all.left), 'left');
		equal((await v.frame('b')).share, 0.375, 'b');
		await v.click('b');
		equal((await v.frame('m')).share, 1, 'zoomed');
		await v.press('0');
		await v.search('b');
		equal(await v.text('matched'), 'Matched: 37.50% (1)', 'matched');
		await v.close();
	},

	async 's shows callers below and callees above one function'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('lex');
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

	async 'search finds callers, too, of a function in the middle'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('lex');
		await v.press('s');
		/* Of the 49 of lex, 9 are tail's, and 39 go on to read, 9 of them tail's. */
		for (const [text, want] of [['tail', '18.37% (1)'], ['tail|read', '79.59% (2)'],
			['parse|tail', '100.00% (2)'], ['read', '79.59% (1)'], ['lex', '100.00% (1)'],
			['sort', '0.00% (0)']]) {
			await v.search(text);
			equal(await v.text('matched'), `Matched: ${want}`, text);
		}
		await v.close();
	},

	async 'what has no counts is not among what was found in merged views'() {
		const v = await View.open(picture('none.svg', 'main;a;gone 0\nmain;b;gone;x 3\nmain;b 5\n'));
		await v.hover('gone');
		await v.press('x');
		await v.search('gone|x');
		equal(await v.text('matched'), 'Matched: 0.00% (0)', 'hidden');
		await v.press('Escape', 'r');
		equal(await v.text('matched'), 'Matched: 0.00% (0)', 'from the leaves');
		await v.press('r');
		await v.hover('b');
		await v.press('s');
		equal(await v.text('matched'), 'Matched: 0.00% (0)', 'in the middle');
		await v.close();
		const w = await View.open(picture('nonediff.svg', 'main;a;gone 4 0\nmain;b;gone 0 3\nmain;gone 2 0\n'));
		await w.search('^gone|a');
		equal(await w.text('matched'), 'Matched: 100.00% (1)', 'a diff');
		await w.press('Escape', 'r');
		await w.search('^main');
		equal(await w.text('matched'), 'Matched: 100.00% (1)', 'its leaves');
		await w.close();
	},

	async 'narrow frames are seen in merged views, too'() {
		let text = '';
		for (let i = 0; i < 9999; i++)
			text += `main;f${i};leaf 1\n`;
		/* Pixels that are drawn in the middle of all rows. */
		const drawn = (v) => v.page.evaluate(() => {
			const canvas = document.querySelector('canvas'), pen = canvas.getContext('2d');
			let sum = 0;
			for (let y = 8; y < canvas.height; y += 16) {
				for (let i = 3, {data} = pen.getImageData(0, y, canvas.width, 1); i < data.length; i += 4)
					sum += data[i] > 0 ? 1 : 0;
			}
			return sum;
		});
		const v = await View.open(picture('slivers.svg', text));
		const wide = await drawn(v);
		await v.press('r');
		/* Three rows: the last one from the root, and from the leaves, has slivers only. */
		const leaves = await drawn(v);
		assert(wide > 3600 && Math.abs(leaves - wide) < 40, `${wide} ${leaves} px`);
		await v.close();
	},

	async 'views from the leaves tell and copy what is so of callers'() {
		const about = async (v, name) => {
			await v.page.mouse.move(5, 5);
			await v.hover(name);
			await v.settle();
			return v.page.evaluate(() => document.querySelector('[data-fg=details] .pale').textContent);
		};
		const copied = async (v, name) => {
			await about(v, name);
			await v.press('c');
			return v.page.evaluate(() => navigator.clipboard.readText());
		};
		const permissions = ['clipboard-read', 'clipboard-write'];
		for (const option of ['--reverse', '--inverted']) {
			const v = await View.open(picture('leaves.svg', SMALL, option), {permissions});
			if (option !== '--reverse')
				await v.press('r');
			equal(await about(v, 'lex'), 'self 10.00% · in all stacks 49.00% in 2 places', 'lex');
			equal((await about(v, 'parse')).split(' · ')[0], '100.00% of callee', 'parse');
			equal(await copied(v, 'parse'), 'parse;lex', 'the stack of parse');
			await v.press('r');
			equal(await copied(v, 'parse'), 'main;parse', 'the stack of parse, from the root');
			await v.close();
		}
		const v = await View.open(picture('small.svg', SMALL), {permissions});
		await v.hover('lex');
		await v.press('s');
		equal((await about(v, 'parse')).split(' · ')[0], '81.63% of callee', 'parse, of lex');
		equal((await about(v, 'read')).split(' · ')[1], '79.59% of caller', 'read, of lex');
		equal(await copied(v, 'main'), 'main;parse;lex', 'callers');
		equal(await copied(v, 'read'), 'lex;read_[k]', 'callees');
		await v.press('x');
		assert((await v.text('details')).endsWith('cannot be hidden in this view'), await v.text('details'));
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

	async 'a chart has what is called where its caller has come to'() {
		const url = picture('places.svg', 'a 300\na;b 100\na;b;d 50\na 150\na;c 300\na;c;e 50\na 50\n',
			'--flamechart', '--width', '1200');
		const places = async (v) => (await v.frames()).map((f) => [f.name, f.left, f.share]);
		const plain = await View.open(url, {javaScriptEnabled: false}), drawn = await places(plain);
		await plain.close();
		const v = await View.open(url);
		equal((await places(v)).sort(), drawn.sort(), 'all');
		const at = async (name) => {
			const [a, f] = [await v.frame('a'), await v.frame(name)];
			return [Math.round((f.left - a.left) / 11.8), f.share];
		};
		await v.press('i', 'i');
		equal([await at('b'), await at('d'), await at('c'), await at('e')],
			[[30, 0.15], [40, 0.05], [60, 0.35], [90, 0.05]], 'redrawn');
		await v.click('c');
		equal(await at('e'), [86, 0.143], 'zoomed');
		await v.close();
	},

	async 'of frames with one path in a chart, the one that is zoomed stays'() {
		const v = await View.open(picture('chart.svg',
			'm;a;x 5\nm;b;y 3\nm;a;x;z 2\nm;c 1\nm;a;q 9\n', '--flamechart'));
		const zoomed = async (view) => (await view.frames()).filter((f) => f.row > 1)
			.map((f) => `${f.name} ${f.share}`).join();
		const box = await v.page.locator('title:text-is("a (2 samples, 10.00%)") + rect').boundingBox();
		await v.page.mouse.click(box.x + 5, box.y + 5);
		await v.settle();
		equal(await zoomed(v), 'a 1,x 1,z 1', 'after a click');
		const w = await View.open(v.page.url());
		equal(await zoomed(w), 'a 1,x 1,z 1', 'from the address');
		await w.close();
		for (const key of ['i', 'i', 'o', 'o']) {
			await v.press(key);
			equal((await v.titles()).filter((title) => title.startsWith('a (')),
				['a (2 samples, 10.00%)'], `after ${key}`);
		}
		await v.press('0');
		await v.click('a');
		equal(await zoomed(v), 'a 1,x 1', 'the first one');
		const x = await View.open(v.page.url());
		equal(await zoomed(x), 'a 1,x 1', 'the first one from the address');
		await x.close();
		await v.close();
	},

	async 'x hides a stack, and the rest is all'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('sort');
		await v.press('x');
		equal(await v.frame('sort'), undefined, 'sort');
		equal((await v.frame('parse')).title, 'parse (60 samples, 85.71%)', 'parse');
		await v.hover('tail');
		await v.press('x');
		await v.hover('lex');
		await v.settle();
		assert((await v.text('details')).endsWith('in 1 place'), await v.text('details'));
		await v.press('0');
		equal((await v.frame('sort')).title, 'sort (30 samples, 30.00%)', 'sort is back');
		await v.close();
	},

	async 'keys are about what is described, a pointer that rests or not'() {
		const v = await View.open(picture('small.svg', SMALL));
		await v.hover('parse');
		await v.press('Tab', 'ArrowUp', 'ArrowUp', 'ArrowRight');
		assert((await v.text('details')).includes('sort (30'), await v.text('details'));
		await v.press('x');
		equal([await v.frame('sort'), (await v.frame('parse')).share], [undefined, 0.857], 'sort is hidden');
		await v.close();
	},

	async 'c copies a stack'() {
		const v = await View.open(picture('small.svg', SMALL),
			{permissions: ['clipboard-read', 'clipboard-write']});
		await v.hover('compare');
		await v.press('c');
		equal(await v.page.evaluate(() => navigator.clipboard.readText()),
			'main;sort;compare', 'clipboard');
		await v.close();
		/* Where the browser does not let it, that is said. */
		const w = await View.open(picture('small.svg', SMALL), {permissions: []});
		await w.hover('compare');
		await w.press('c');
		assert(/^cop|cannot copy here/.test((await w.text('details')).replace(/.*%\)/, '')),
			await w.text('details'));
		await w.close();
	},

	async 'the menu of a frame leads to what can be done with it'() {
		const v = await View.open(picture('menu.svg', SMALL + 'main;tail;my.pkg.Some.run 10\n'),
			{permissions: ['clipboard-read', 'clipboard-write']});
		const choose = async (name, item) => {
			await v.click(name, 0, {button: 'right'});
			await v.page.locator('[data-fg=menu] button').filter({hasText: item}).click();
			await v.settle();
		};
		await choose('lex', 'Hide this function everywhere');
		assert(!(await v.names()).includes('lex'), 'lex is hidden');
		equal((await v.frame('main')).title, 'main (61 samples, 100.00%)', 'the rest');
		const w = await View.open(v.page.url());
		equal(await w.names(), await v.names(), 'from the address');
		await w.close();
		await v.press('Escape');
		assert((await v.names()).includes('lex'), 'lex is back');
		await choose('lex', 'Only stacks with this function');
		equal([(await v.frame('main')).title, await v.frame('sort')],
			['main (49 samples, 100.00%)', undefined], 'only lex');
		await v.page.goBack();
		await v.settle();
		equal((await v.frame('main')).title, 'main (110 samples, 100.00%)', 'back');
		await v.page.goForward();
		await v.settle();
		equal((await v.frame('main')).title, 'main (49 samples, 100.00%)', 'forward');
		await v.press('0');
		await choose('my.pkg.Some.run', 'Only stacks with my.pkg.Some.');
		equal((await v.frame('main')).title, 'main (10 samples, 100.00%)', 'a module');
		await v.press('0');
		await choose('lex', 'Copy the name');
		equal(await v.page.evaluate(() => navigator.clipboard.readText()), 'lex', 'copied');
		await choose('lex', 'Callers and callees');
		equal((await v.frame('lex')).share, 1, 'in the middle');
		await v.press('Escape');
		/* By keys, from the frame with the focus, and out again. */
		await v.press('Tab');
		while (!(await v.focused()).startsWith('all ('))
			await v.press('Tab');
		await v.press('ArrowUp', 'ArrowUp', 'ContextMenu', 'Escape');
		assert((await v.focused()).startsWith('parse ('), await v.focused());
		await v.close();
	},

	async 'Esc and Back undo one step at a time, and never leave the page'() {
		const v = await View.open(picture('undo.svg', SMALL));
		const first = await v.frames();
		await v.click('parse');
		const second = await v.frames();
		await v.search('lex');
		await v.press('Escape', 'i');
		await v.click('lex');
		await v.press('Escape');
		equal((await v.frame('lex')).share, 0.667, 'lex');
		await v.press('Escape');
		equal((await v.frames()).map((f) => f.title), second.map((f) => f.title), 'before i');
		await v.page.goBack();
		await v.settle();
		equal((await v.frames()).map((f) => f.share), first.map((f) => f.share), 'before parse');
		for (let i = 0; i < 3; i++)
			await v.press('Escape');
		assert(v.page.url().includes('undo.svg'), v.page.url());
		await v.page.goForward();
		await v.settle();
		equal((await v.frame('parse')).share, 1, 'again');
		await v.close();
	},

	async 'the table has all functions, sorted and filtered, and leads to their callers'() {
		const v = await View.open(picture('table.svg', SMALL + 'main;rec;rec;rec 5\n'));
		const rows = (view = v) => view.page.evaluate(() =>
			[...document.querySelectorAll('[data-fg=functions] tr[data-row]')].map((row) =>
				[...row.children].map((cell) => cell.textContent).join(' ').replace(/ +/g, ' ')));
		await v.press('t');
		const all = await rows();
		equal([all.length, all[0].startsWith('39 37.14% 39 37.14%'), all[0].endsWith(' read')],
			[12, true, true], all[0]);
		await v.page.locator('[data-fg=functions] th button', {hasText: 'Total'}).click();
		await v.settle();
		equal((await rows()).slice(0, 2).map((row) => row.split(' ').slice(0, 4).join(' ') + row.split(' ').pop()),
			['0 0.00% 105 100.00%main', '0 0.00% 60 57.14%parse'], 'by total');
		await v.page.locator('[data-fg=filter]').fill('^(lex|rec)$');
		await v.settle();
		equal((await rows()).map((row) => row.replace(/%.* /, '% ').split(' ').slice(0, 3).join(' ')),
			['10 9.52% lex', '5 4.76% rec'], 'filtered');
		assert((await rows())[1].startsWith('5 4.76% 5 4.76%'), 'recursion counts once');
		const w = await View.open(v.page.url());
		equal(await rows(w), await rows(), 'from the address');
		await w.close();
		await v.press('ArrowDown', 'ArrowUp', 'Enter');
		equal([(await v.frame('lex')).share, await v.page.locator('[data-fg=functions]').count()], [1, 0], 'lex');
		await v.press('Escape');
		equal((await rows()).length, 2, 'the table again');
		await v.page.locator('[data-fg=functions] tr[data-row="1"]').click();
		await v.settle();
		equal((await v.frame('rec')).title, 'rec (5 samples, 4.76%)', 'a click');
		await v.press('Escape', 't');
		equal(await v.page.locator('[data-fg=functions]').count(), 0, 'closed');
		await v.close();
	},

	async 'the table of a diff has counts before and after, and what was found'() {
		const text = '#fold=1;counts=2;test=1\n#node=main%3Bgrew;class=up;lo=1.5;hi=9;q=0.01\n' + DIFF;
		const v = await View.open(picture('difftable.svg', text));
		await v.press('t');
		await v.page.locator('[data-fg=functions] th button', {hasText: 'Total by'}).click();
		await v.settle();
		const [head, first] = await v.page.evaluate(() => [...document.querySelectorAll('[data-fg=functions] tr')]
			.filter((row) => row.querySelector('th') || row.dataset.row === '0')
			.map((row) => [...row.children].map((cell) => cell.textContent)));
		equal(head, ['Self', '%', 'After', '%', 'Before', 'Self by', 'Total by', 'Ratio', 'Verdict', 'Interval',
			'Module', 'Function'], 'columns');
		equal(first, ['30', '42.86%', '30', '42.86%', '10', '+28.57%', '+28.57%', '3.00', 'up', '1.5 to 9 times',
			'', 'grew'], 'grew');
		await v.close();
	},

	async 'a table of many functions has few rows, and scrolls'() {
		let text = '';
		for (let i = 0; i < 5000; i++)
			text += `main;f${i} ${5000 - i}\n`;
		const v = await View.open(picture('many.svg', text));
		const rows = () => v.page.evaluate(() =>
			[...document.querySelectorAll('[data-fg=functions] tr[data-row]')].map((row) => row.lastChild.textContent));
		await v.press('t');
		assert((await rows()).length < 80 && (await rows())[0] === 'f0', (await rows()).join());
		await v.press('End');
		assert((await rows()).includes('main'), 'the last one');
		await v.close();
	},

	async 'labels keep the part of a name that tells, as the drawing has them'() {
		const names = ['void java.util.concurrent.ThreadPoolExecutor.runWorker(java.lang.Object)',
			'io/netty/channel/nio/NioEventLoop:.run', 'std::vector<int, std::allocator<int> >::push_back(int&&)',
			'<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop', 'foo::bar::baz::{{closure}}',
			'LazyCompile:~handleRequest /srv/app/server.js:12:3', 'parse_doc (markdown/parser.py:120)',
			'github.com/acme/server/http.(*Handler).ServeHTTP', '/usr/lib/x86_64-linux-gnu/libcrypto.so.3',
			'bool Foo::operator<(Foo const&) const', 'a_kernel_function_with_a_long_name',
			'java.util.TreeMap$Entry[] java.util.TreeMap.getEntry', 'json.loads posixpath_with_a_long_name.py'];
		const text = names.map((name) => `main;${name} 1\n`).join('');
		for (const size of [700, 900, 1200, 2000, 4000]) {
			const url = picture('labels.svg', text, '--width', String(size));
			const labels = async (v) => (await v.frames()).map((f) => [f.name, ...f.text].join('|')).sort();
			const plain = await View.open(url, {javaScriptEnabled: false});
			const drawn = await labels(plain);
			await plain.close();
			const v = await View.open(url, {viewport: {width: 4000, height: 900}});
			await v.press('i', 'i');
			equal(await labels(v), drawn, `${size} px`);
			if (size === 1200)
				equal(await Promise.all(names.map(async (name) => (await v.frame(name)).text[0])),
					['…runWorker…', '…run', '…push_back…', '…drop', 'baz::{{clo…', 'handleRequ…', 'parse_doc…',
						'…ServeHTTP', 'libcrypto.…', '…operator<…', 'a_kernel_f…', '…getEntry', 'loads posi…'], 'labels');
			await v.close();
		}
	},

	async 'searches are kept, each in its colour and with its share'() {
		const v = await View.open(picture('kept.svg', SMALL));
		const chips = async (view = v) => (await view.page.locator('[data-fg=kept] button').allTextContents()).join();
		const look = async (name, view = v) => (await view.frame(name)).cls.split(' ').slice(1).join();
		await v.search('^lex');
		await v.press('Escape', 'k');
		equal([await v.query(), await chips(), await look('lex')], ['', '^lex 49.00% ×', 'pin1'], 'the first');
		await v.search('sort');
		await v.page.locator('[aria-label="Keep this search"]').click();
		await v.search('read');
		equal([await chips(), await look('sort'), await look('read')],
			['^lex 49.00% ×,sort 30.00% ×', 'pin2', 'hit'], 'three');
		const fills = await v.page.evaluate(() => ['pin1', 'pin2', 'hit'].map((name) =>
			getComputedStyle(document.querySelector(`[data-fg=frames] .${name} > rect`)).fill));
		equal(new Set(fills).size, 3, fills.join());
		await v.click('parse');
		equal(await chips(), '^lex 66.67% ×,sort 0.00% ×', 'shares of parse');
		const w = await View.open(v.page.url());
		equal([await chips(w), await look('lex', w)], ['^lex 66.67% ×,sort 0.00% ×', 'pin1'], 'from the address');
		await w.close();
		await v.page.locator('[data-fg=kept] button').first().click();
		await v.settle();
		equal([await chips(), await look('lex')], ['sort 0.00% ×', ''], 'forgotten');
		await v.close();
	},

	async 'recursion collapses, callers hide, and Esc brings them back'() {
		const deep = 'a;f;f_[i];f;g 3\na;f;g;g 2\na;f;h;f 1\nb;f;f 4\n';
		const v = await View.open(picture('deep.svg', deep));
		const shows = async (text, what) => {
			const want = await View.open(picture('plain.svg', text));
			equal((await v.titles()).sort(), (await want.titles()).sort(), what);
			await want.close();
		};
		const choose = async (name, item) => {
			await v.click(name, 0, {button: 'right'});
			await v.page.getByRole('menuitem', {name: item}).click();
			await v.settle();
		};
		await v.press('m');
		await shows('a;f;g 5\na;f;h;f 1\nb;f 4\n', 'collapsed');
		await v.page.reload();
		await v.settle();
		await shows('a;f;g 5\na;f;h;f 1\nb;f 4\n', 'from the address');
		await v.hover('h');
		await v.press('x');
		await shows('a;f;g 5\nb;f 4\n', 'a stack of the other shape is hidden');
		await v.press('Escape', 'Escape');
		await shows(deep, 'two steps back');
		await choose('f', 'Hide its callers');
		await shows('f;f_[i];f;g 3\nf;g;g 2\nf;h;f 1\nf;f 4\n', 'without callers');
		await v.press('m');
		await shows('f;g 5\nf;h;f 1\nf 4\n', 'both');
		await v.page.locator('[data-fg=kept] button', {hasText: 'from'}).click();
		await v.settle();
		await shows('a;f;g 5\na;f;h;f 1\nb;f 4\n', 'its callers again');
		await v.press('r', 'o', 't');
		await v.close();
	},

	async 'recursion that makes the picture too high is collapsed from the start'() {
		const deep = `main;${'walk;'.repeat(200)}leaf 5\nmain;flat 5\n`;
		const chip = (v) => v.page.locator('[data-fg=kept] button').allTextContents();
		const v = await View.open(picture('collapsed.svg', deep));
		equal([(await v.names()).filter((name) => name === 'walk').length, await chip(v)],
			[1, ['recursion collapsed ×']], 'at first');
		assert(!v.page.url().includes('#'), v.page.url());
		const title = await v.page.locator('[data-fg=title]').boundingBox();
		const kept = await v.page.locator('[data-fg=kept] button').boundingBox();
		assert(kept.y >= title.y + title.height, 'the title is covered');
		await v.page.locator('[data-fg=kept] button').click();
		await v.settle();
		equal([(await v.names()).length > 100, await chip(v)], [true, []], 'all of it');
		const again = await View.open(v.page.url());
		equal([(await again.names()).length > 100, await chip(again)], [true, []], 'by its address');
		await again.close();
		await v.press('0');
		equal(await chip(v), ['recursion collapsed ×'], 'as at first');
		await v.close();
		/* Here it is other frames that make it high. */
		const other = await View.open(picture('high.svg', `main;${Array.from({length: 200}, (_, i) => `f${i};`).join('')}f;f 1\n`));
		equal(await chip(other), [], 'without recursion');
		await other.close();
	},

	async 'the legend has the shares of the zoomed frame, of however many'() {
		let text = '';
		for (let i = 0; i < 5000; i++)
			text += `main;a;f${i} 3\nmain;b;f${i}_[k] 1\n`;
		const v = await View.open(picture('shares.svg', text));
		const shares = () => v.page.evaluate(() => [...document.querySelectorAll('[data-fg=key]')]
			.map((key) => key.textContent.trim()).sort().join());
		const all = 'kernel 25.0%,other 75.0%';
		equal(await shares(), all, 'all');
		const zooms = [['main', all], ['b', 'kernel 100.0%,other 0.0%'], ['main', all], ['a', 'kernel 0.0%,other 100.0%']];
		for (const [name, want] of zooms) {
			await v.click(name);
			await v.page.waitForFunction((text) => [...document.querySelectorAll('[data-fg=key]')]
				.map((key) => key.textContent.trim()).sort().join() === text, want, {timeout: 20000})
				.catch(async () => equal(await shares(), want, name));
		}
		await v.close();
	},

	async 'what is searched is shown alone, or hidden'() {
		const v = await View.open(picture('only.svg', SMALL)), chips = () => v.text('kept');
		await v.search('^(tree|sort)$');
		await v.page.getByRole('button', {name: 'Only', exact: true}).click();
		await v.settle();
		equal([await v.query(), await chips(), (await v.names()).sort().join()],
			['', 'only stacks with ^(tree|sort)$ ×', 'all,compare,main,parse,sort,tree'], 'only');
		await v.search('comp');
		await v.press('Escape', 'u');
		equal((await v.names()).sort().join(), 'all,main,parse,sort,tree', 'hidden');
		equal((await v.frame('sort')).title, 'sort (5 samples, 20.00%)', 'of what is left');
		await v.press('Escape');
		equal(await chips(), 'only stacks with ^(tree|sort)$ ×', 'one step back');
		await v.press('0');
		equal([await chips(), (await v.frame('main')).title], ['', 'main (100 samples, 100.00%)'], 'reset');
		await v.close();
	},

	async 'the call tree opens and closes, and leads to its frames'() {
		const v = await View.open(picture('calltree.svg', SMALL));
		const rows = (view = v) => view.page.evaluate(() =>
			[...document.querySelectorAll('[data-fg=functions] tr[data-row]')].map((row) =>
				`${row.children[1].textContent} ${row.lastChild.textContent.trim()}`));
		await v.press('e');
		equal(await rows(), ['100.00% ▸ main'], 'closed');
		await v.press('p');
		equal(await rows(), ['100.00% ▾ main', '60.00% ▾ parse', '40.00% ▾ lex', '30.00% read', '20.00% tree',
			'30.00% ▸ sort', '10.00% ▸ tail'], 'the widest path');
		await v.press('ArrowLeft');
		equal((await rows())[2], '40.00% ▸ lex', 'closed again');
		const w = await View.open(v.page.url());
		equal(await rows(w), await rows(), 'from the address');
		await w.close();
		await v.page.locator('[data-fg=functions] tr', {hasText: 'tail'}).click();
		await v.settle();
		assert((await rows()).includes('1.00% ▸ hidden'), (await rows()).join());
		await v.press('Enter');
		equal([(await v.frame('tail')).share, await v.page.locator('[data-fg=functions]').count()], [1, 0], 'tail');
		await v.press('Escape');
		equal((await rows()).length, 8, 'the tree again');
		await v.press('t');
		equal(await v.page.locator('[data-fg=filter]:visible').count(), 1, 'the functions instead');
		await v.close();
	},
};
