/* data.js - diffs, and names and numbers that are out of the ordinary. */
'use strict';

const {DIFF, SMALL, View, assert, equal, picture} = require('../view');

module.exports = {
	async 'a diff has colours, changes, a legend and marks'() {
		const v = await View.open(picture('diff.svg', DIFF));
		const grew = await v.frame('grew');
		equal(grew.title, 'grew (30 samples, 42.86%; +28.57%)', 'title');
		equal(grew.text, ['grew', '+28.6%'], 'texts');
		equal((await v.frame('new')).cls.includes('one'), true, 'new is marked');
		equal((await v.text('legend')).replace(/\s+/g, ' ').trim(), 'shrank by 28.6% grew by 28.6%', 'legend');
		equal(await v.frame('gone'), undefined, 'gone');
		await v.page.getByText('gone: 1 frame with what it called, 28.57% of the counts before').click();
		await v.settle();
		equal((await v.frame('gone')).title, 'gone (20 samples, 28.57%; -28.57%)', 'gone, before');
		await v.press('g', 'a');
		assert((await v.frame('main')).title.includes('; 0.00%'), 'total change of main');
		await v.close();
		const narrow = await View.open(picture('diff.svg', DIFF), {viewport: {width: 420, height: 800}});
		equal((await narrow.text('legend')).replace(/\s+/g, ' ').trim(), '−28.6% +28.6%', 'narrow');
		const left = await narrow.page.evaluate(() => [...document.querySelectorAll('[data-fg=legend] > text')]
			.map((text) => text.getBoundingClientRect()).every(({left, right}) => left >= 0 && right <= innerWidth));
		assert(left, 'the legend sticks out');
		await narrow.close();
		/* What an address says of the colours is so in titles, too. */
		const w = await View.open(picture('diff2.svg', 'r;a;x 10 40\nr;b 20 25\nr;b;y 60 20\n'));
		await w.press('a');
		const x = await View.open(w.page.url());
		equal(await x.frames(), await w.frames(), 'from the address');
		await x.close();
		await w.close();
	},

	async 'a diff from the leaves has the change of what functions have of their own'() {
		const text = DIFF + 'm2;grew 1 7\n', colours = async (v) =>
			(await v.frames()).map((f) => [f.title, f.cls, ...f.text].join(' '));
		const v = await View.open(picture('leafdiff.svg', text, '--reverse'));
		const w = await View.open(picture('leafdiff2.svg', text));
		await w.press('r');
		const got = await colours(v);
		equal(await colours(w), got, 'r as --reverse');
		assert(got.includes('grew (37 samples, 48.05%; +33.77%) c16 grew +33.8%'), got.join());
		assert(got.includes('same (10 samples, 12.99%; 0.00%) c8 same'), got.join());
		await v.close();
		await w.close();
	},

	async 'a tested diff shows what was found, and all with a'() {
		const text = '#fold=1;counts=2;test=1\n#node=main%3Bgrew;class=up;lo=1.5;hi=9;q=0.01\n' + DIFF;
		const v = await View.open(picture('tested.svg', text));
		const shrank = await v.frame('shrank');
		equal([shrank.cls, shrank.title, shrank.text],
			['c8', 'shrank (10 samples, 14.29%; -28.57%)', ['shrank']], 'shrank is grey');
		equal((await v.frame('grew')).cls, 'c16', 'grew');
		await v.hover('grew');
		await v.settle();
		const details = await v.text('details');
		assert(details.includes('up, beyond noise: 3 times, between 1.5 and 9 times; about 1 in 100 such findings is chance'), details);
		assert(details.includes('before 10 samples, change +28.57%'), details);
		await v.press('a');
		equal((await v.frame('shrank')).cls, 'c0', 'shrank after a');
		const all = await v.frames();
		const w = await View.open(v.page.url());
		equal(await w.frames(), all, 'from the address');
		await w.close();
		await v.press('a', 'o');
		equal((await v.frame('grew')).cls, 'c16', 'grew, by weight');
		equal((await v.frame('shrank')).title, shrank.title, 'shrank, drawn by weight');
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
		const names = await v.names();
		assert(names.length < 300 && names.includes('f40'), `${names.length} frames`);
		await v.click('f1');
		equal((await v.frame('f1')).share, 1, 'f1');
		await v.page.evaluate(() => window.scrollTo(0, 80000));
		await v.settle();
		assert((await v.names()).includes('f5000'), 'no f5000 in the middle');
		await v.press('i');
		assert((await v.names()).includes('f1'), 'no f1 among flames');
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

	async 'a ratio keeps its colours and numbers in all views'() {
		const text = '#fold=1;counts=2;ratio=instructions/cycles\n' +
			'm;high;deep 32 8\nm;none 0 4\nm;same 6 6\nm;low 2 22\n';
		const shown = async (v) => (await v.frames()).map((f) => [f.title, ...f.text, f.fill]).sort();
		for (const options of [[], ['--negate']]) {
			const url = picture('ratio.svg', text, '--width', '1200', ...options);
			const plain = await View.open(url, {javaScriptEnabled: false});
			const drawn = await shown(plain);
			await plain.close();
			const v = await View.open(url);
			await v.press('o', 'i');
			equal(await shown(v), drawn, 'as drawn');
			const before = await v.element('deep').locator('rect').getAttribute('fill');
			await v.click('high');
			equal(await v.element('deep').locator('rect').getAttribute('fill'), before, 'zoomed');
			await v.hover('deep');
			await v.settle();
			assert((await v.text('details')).includes('32 instructions'), await v.text('details'));
			await v.press('0', 'r');
			assert((await v.titles()).includes('low (22 cycles, 55.00%; 0.09 instructions per cycle)'),
				(await v.titles()).join());
			equal(await v.page.locator('[data-tool=g]').count(), 0, 'no picture before');
			await v.press('r', 't');
			await v.settle();
			const row = await v.page.locator('tr', {hasText: 'high'}).first().textContent();
			assert(row.includes('32 instructions') && row.includes('4.00'), row);
			await v.close();
		}
	},

	async 'l and clicks let classes of the legend stay bright'() {
		const v = await View.open(picture('classes.svg', SMALL + 'main;std::sort 20\nmain;std::sort;x.py 5\n'));
		/* The keys whose frames are as bright as ever, and the others. */
		const bright = () => v.page.evaluate(() => [...document.querySelectorAll('[data-fg=key]')]
			.filter((g) => g.classList.contains('on')).map((g) => g.textContent.trim()));
		const opacity = (name) => v.element(name).locator('rect')
			.evaluate((rect) => getComputedStyle(rect).fillOpacity);
		const keys = await v.page.locator('[data-fg=key]').allTextContents();
		assert(keys.length > 2, keys.join());
		equal(await bright(), [], 'at first');
		await v.press('l');
		const [first] = await bright();
		assert((await v.text('details')).includes(first.split(' ')[0]), await v.text('details'));
		const opacities = [await opacity('read'), await opacity('std::sort'), await opacity('compare')];
		assert(opacities.includes('1') && opacities.includes('0.15'), opacities.join());
		await v.press('l');
		assert((await bright()).length === 1 && (await bright())[0] !== first, 'the next one');
		for (let i = 1; i < keys.length; i++)
			await v.press('l');
		equal(await bright(), [], 'after the last one');
		equal(await opacity('compare'), '1', 'all bright');
		const key = v.page.locator('[data-fg=key] text').first();
		await key.click();
		equal((await bright()).length, 1, 'a click');
		await key.click();
		equal(await bright(), [], 'another click');
		await v.close();
	},
};
