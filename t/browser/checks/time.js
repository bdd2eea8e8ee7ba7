/* time.js - the timeline above a picture, and its ranges. */
'use strict';

const {View, assert, equal, picture} = require('../view');

/* Ten seconds of two threads of a server and of a worker, which rests from 4 s to 6 s. */
const HEADER = '#fold=1;counts=1;unit=ns;clock=perf\n';
const THREADS = [[100, 101, 'server'], [100, 102, 'server'], [200, 201, 'work</script>er']];
const STACKS = ['loop;parse;lex', 'loop;query;read_[k]', 'loop;</title><b>x', 'collect;mark', 'timer'];

function samples() {
	const list = [];
	for (let ms = 0, seed = 7; ms <= 10000; ms += 4) {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		const [pid, tid, name] = THREADS[(seed >> 8) % 3];
		if (tid === 201 && ms >= 4000 && ms < 6000)
			continue;
		list.push({ms, tid, line: `#time=${5 + Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}000000;` +
			`pid=${pid};tid=${tid}\n${name};${STACKS[(seed >> 16) % 5]} ${1000000 + (seed >> 4) % 3 * 1000}\n`});
	}
	return list;
}

const SAMPLES = samples();
const textOf = (list) => HEADER + list.map(({line}) => line).join('');

class TimeView extends View {
	static async strip(hash = '', options = {}) {
		const url = picture('time.svg', textOf(SAMPLES), '--countname', 'ns');
		return Object.setPrototypeOf(await View.open(url + hash, options), TimeView.prototype);
	}

	/* Where a time in s is on the strip. */
	async at(seconds) {
		const box = await this.page.locator('[data-fg=timeline] > .hit').boundingBox();
		return [box.x + seconds / 10.0001 * box.width, box.y + 10];
	}

	async drag(from, to) {
		await this.page.mouse.move(...await this.at(from));
		await this.page.mouse.down();
		await this.page.mouse.move(...await this.at(to), {steps: 4});
		await this.page.mouse.up();
		await this.settle();
	}

	/* What the address says is chosen: [from, to] in s. */
	async chosen() {
		await this.page.waitForFunction(() => location.hash.includes('t='));
		const [, text] = /t=([^&]*)/.exec(await this.page.evaluate(() => location.hash));
		return decodeURIComponent(text).replace('+', '').split('@')[0].split('-').map(Number);
	}

	/* Wait until about this is chosen. */
	async chooses(...want) {
		await this.page.waitForFunction((range) => {
			const got = decodeURIComponent((/t=([^&]*)/.exec(location.hash) || [''])[1] || '').split('@')[0].split('-');
			return range.every((s, i) => Math.abs(Number(got[i]) - s) < 0.1);
		}, want, {timeout: 10000}).catch(() => assert(false, `not ${want}: ${this.page.url()}`));
		await this.settle();
	}

	/* The picture is that of these samples alone. */
	async shows(what, list) {
		const want = await View.open(picture('part.svg', textOf(list), '--countname', 'ns', '--no-timeline'));
		equal((await this.titles()).sort(), (await want.titles()).sort(), what);
		await want.close();
	}
}

module.exports = {
	async 'a drag in the timeline chooses a range, whose samples are shown'() {
		const v = await TimeView.strip();
		await v.shows('all', SAMPLES);
		await v.drag(2, 3);
		const [from, to] = await v.chosen();
		assert(Math.abs(from - 2) < 0.05 && Math.abs(to - 3) < 0.05, `${from}-${to}`);
		const inside = ([a, b]) => SAMPLES.filter(({ms}) => ms >= 1000 * a - 0.02 && ms < 1000 * b - 0.02);
		await v.shows('a range', inside([from, to]));
		const ns = (list) => list.reduce((sum, {line}) => sum + Number(line.trim().split(' ').pop()), 0);
		const share = (100 * ns(inside([from, to])) / ns(SAMPLES)).toFixed(2);
		assert((await v.text('range')).endsWith(` · ${share}% of all counts`), await v.text('range'));
		await v.drag(2.5, 7.5);
		const moved = await v.chosen();
		assert(Math.abs(moved[0] - from - 5) < 0.05 && Math.abs(moved[1] - to - 5) < 0.05, moved.join('-'));
		await v.shows('the range moved', inside(moved));
		await v.press('Escape');
		await v.shows('one step back', inside([from, to]));
		await v.page.locator('#all').click();
		await v.settle();
		await v.shows('all again', SAMPLES);
		await v.close();
	},

	async 'a thread is chosen in the timeline, and the address keeps it'() {
		const v = await TimeView.strip('#t=1-4%40200.201');
		const worker = SAMPLES.filter(({tid}) => tid === 201);
		await v.shows('of the address', worker.filter(({ms}) => ms >= 1000 && ms < 4000));
		await v.page.locator('[data-fg=timeline] [data-lane]').filter({hasText: 'work'}).click();
		await v.settle();
		await v.shows('all threads', SAMPLES.filter(({ms}) => ms >= 1000 && ms < 4000));
		await v.page.locator('#all').click();
		await v.page.locator('#threads').click();
		await v.page.getByRole('menuitem', {name: 'server 102'}).click();
		await v.settle();
		await v.shows('one thread', SAMPLES.filter(({tid}) => tid === 102));
		await v.press('r', 'r', 'i');
		await v.close();
	},

	async 'the heat map is the other face of the timeline'() {
		const v = await TimeView.strip();
		await v.page.locator('#face').click();
		await v.settle();
		const cells = await v.page.evaluate(() => [...document.querySelectorAll('[data-fg=timeline] path[class^=h]')]
			.reduce((sum, path) => sum + (path.getAttribute('d').match(/z/g) || []).length, 0));
		const wanted = new Set(SAMPLES.map(({ms}) => Math.floor((ms + 0.01) / (100 / 12)))).size;
		assert(Math.abs(cells - wanted) < 0.02 * wanted, `${cells} cells, not about ${wanted}`);
		/* From the lowest cell of the column at 2 s up to the lowest of that at 3 s. */
		const box = await v.page.locator('[data-fg=timeline] > .none').boundingBox();
		const place = (seconds) => [box.x + (seconds + 0.05) / 10.0001 * box.width, box.y + box.height - 2];
		await v.page.mouse.move(...place(2));
		await v.page.mouse.down();
		await v.page.mouse.move(...place(3), {steps: 4});
		await v.page.mouse.up();
		await v.settle();
		const [from, to] = await v.chosen();
		assert(Math.abs(from - 2) < 0.001 && Math.abs(to - 3.0083) < 0.001, `${from}-${to}`);
		await v.shows('cells', SAMPLES.filter(({ms}) => ms >= 1000 * from - 0.02 && ms < 1000 * to - 0.02));
		await v.page.reload();
		await v.page.waitForFunction(() => document.documentElement.dataset.ready);
		equal(await v.page.locator('#face').textContent(), 'Activity', 'the address keeps it');
		await v.press('w');
		equal(await v.page.locator('[data-fg=timeline] path[class^=h]').count(), 0, 'activity again');
		await v.press('Escape');
		equal(await v.page.locator('#face').textContent(), 'Activity', 'one step back');
		await v.close();
	},

	async 'keys choose a range in the timeline'() {
		const v = await TimeView.strip();
		await v.press('h', ...Array(10).fill('ArrowRight'), 'Enter', ...Array(20).fill('ArrowRight'), 'Enter');
		const [from, to] = await v.chosen();
		assert(Math.abs(from - 1) < 0.01 && Math.abs(to - 3) < 0.01, `${from}-${to}`);
		await v.press('Shift+ArrowRight');
		assert((await v.chosen())[1] > to, 'Shift');
		await v.press('Escape', 'Escape');
		await v.shows('all', SAMPLES);
		await v.close();
	},

	async 'the flame chart has calls from left to right, as long as the samples tell'() {
		const list = [[0, 'a;b'], [10, 'a;b'], [20, 'a;c'], [30, 'a;c'], [40, 'a'], [200, 'd'], [210, 'd;b']];
		const url = picture('chart.svg', HEADER + list.map(([ms, stack]) =>
			`#time=3.${String(ms).padStart(3, '0')}000000;tid=7\n${stack} 1\n`).join(''));
		const v = await View.open(url);
		await v.press('f');
		/* The usual distance is 10 ms, and no sample lasts longer than 25 ms. */
		equal((await v.titles()).sort(), ['a (65.0 ms, from 0.0 ms on)', 'b (20.0 ms, from 0.0 ms on)',
			'c (20.0 ms, from 20.0 ms on)', 'd (35.0 ms, from 200.0 ms on)',
			'thread 7 (210.0 ms)', 'time (0.0 ms – 210.0 ms, 210.0 ms)'], 'titles');
		const [a, c] = [await v.frame('a'), await v.frame('c')];
		assert(Math.abs(a.share - 65 / 210) < 0.002 && Math.abs(c.share - 20 / 210) < 0.002, `${a.share} ${c.share}`);
		await v.search('^c$');
		equal(await v.text('matched'), 'Matched: 9.52% (1)', 'share');
		await v.search('');
		await v.click('c');
		equal((await v.frame('c')).share, 1, 'a click fills the window');
		equal((await v.titles()).map((title) => title[0]).sort(), ['a', 'c', 't', 't'], 'in the window');
		await v.press('Escape');
		equal((await v.titles()).length, 6, 'one step back');
		await v.press('f');
		assert((await v.frame('a')).title.endsWith(', 71.43%)'), 'a flame graph again');
		await v.close();
	},

	async 'the wheel and a drag move the window of the flame chart'() {
		const v = await TimeView.strip('#w=1&t=2-4');
		const {x, y, width, height} = await v.page.locator('[data-fg=frames]').boundingBox();
		const middle = [x + width / 2, y + height / 2];
		const near = (got, want, what) => assert(got.every((s, i) => Math.abs(s - want[i]) < 0.05), `${what}: ${got}`);
		const rest = (old) => v.page.waitForFunction((hash) => location.hash !== hash, old);
		let hash = await v.page.evaluate(() => location.hash);
		await v.page.mouse.move(...middle);
		await v.page.mouse.wheel(0, -200);
		await rest(hash);
		const zoomed = await v.chosen(), half = 1.002 ** -200;
		near(zoomed, [3 - half, 3 + half], 'the wheel');
		hash = await v.page.evaluate(() => location.hash);
		await v.page.mouse.down();
		await v.page.mouse.move(middle[0] - width / 4, middle[1], {steps: 3});
		await v.page.mouse.up();
		await rest(hash);
		near(await v.chosen(), zoomed.map((s) => s + half / 2), 'the drag');
		await v.page.locator('[data-fg=timeline] [data-lane="0"]').click();
		await v.settle();
		equal((await v.names()).filter((name) => /server 10|er 201/.test(name)).length, 1, 'threads');
		await v.press('f', 'r', 'f', 'i', 'o', 's', 't');
		await v.close();
	},

	async 'the timeline is the minimap of the flame chart'() {
		const v = await TimeView.strip('#w=1&t=2-4');
		/* The time at the left and at the right of the rectangle. */
		const marked = async () => {
			const strip = await v.page.locator('[data-fg=timeline] > .hit').boundingBox();
			const {x, width} = await v.page.locator('[data-fg=timeline] rect.shade ~ .range').boundingBox();
			return [x, x + width].map((side) => (side - strip.x) / strip.width * 10.0001);
		};
		const shows = async (from, to, what) => {
			await v.chooses(from, to);
			const got = await marked();
			assert(Math.abs(got[0] - from) < 0.1 && Math.abs(got[1] - to) < 0.1, `${what}: ${got}`);
		};
		await shows(2, 4, 'the address');
		await v.press('f', 'f');
		await shows(2, 4, 'the chart again');
		const {x, y, width, height} = await v.page.locator('[data-fg=frames]').boundingBox();
		await v.page.mouse.move(x + width / 2, y + height / 2);
		await v.page.mouse.wheel(0, -200);
		await shows(3 - 1.002 ** -200, 3 + 1.002 ** -200, 'the wheel');
		await v.page.mouse.click(...await v.at(7));
		await shows(7 - 1.002 ** -200, 7 + 1.002 ** -200, 'a click beside it');
		await v.drag(7, 5);
		await shows(5 - 1.002 ** -200, 5 + 1.002 ** -200, 'a drag of it');
		await v.press('PageDown', '-');
		await shows(5 - 1.002 ** -200, 5 + 3 * 1.002 ** -200, 'keys');
		await v.press('+', 'PageUp');
		await shows(5 - 1.002 ** -200, 5 + 1.002 ** -200, 'keys back');
		equal(await v.page.evaluate(() => document.activeElement.dataset.fg), 'timeline', 'the focus');
		await v.press('f');
		await v.page.mouse.click(...await v.at(8));
		await v.page.waitForFunction(() => !location.hash.includes('t='));
		await v.close();
	},

	async 'a window that is a line in the minimap moves, and nothing else is drawn'() {
		const v = await TimeView.strip('#w=1&t=2-2.01%2B');
		const cells = await v.page.evaluateHandle(() => {
			const changes = [];
			new MutationObserver((list) => changes.push(...list.map(({target}) => target.getAttribute('class'))))
				.observe(document.querySelector('[data-fg=timeline]'), {subtree: true, attributeFilter: ['d']});
			return changes;
		});
		await v.press('h', 'PageDown', 'PageUp');
		const drawn = await cells.evaluate((changes) => changes.filter((name) => /^h[0-7]$/.test(name)).length);
		assert(await cells.evaluate((changes) => changes.includes('range')), 'the rectangle');
		equal(drawn, 0, 'cells drawn');
		await v.press('w');
		await v.drag(2.05, 5.05);
		await v.chooses(5, 5.01);
		const [from, to] = await v.chosen();
		assert(Math.abs(to - from - 0.01) < 0.001, `${from}-${to}`);
		await v.close();
	},

	async 'fingers choose a range, move the flame chart and zoom'() {
		const v = await TimeView.strip('', {hasTouch: true, isMobile: true, viewport: {width: 420, height: 800}});
		const cdp = await v.context.newCDPSession(v.page);
		const touch = (type, x, y) => cdp.send('Input.dispatchTouchEvent',
			{type, touchPoints: type === 'touchEnd' ? [] : [{x, y}]});
		const swipe = async ([x, y], [x2, y2]) => {
			await touch('touchStart', x, y);
			for (let k = 1; k <= 5; k++)
				await touch('touchMove', x + (x2 - x) * k / 5, y + (y2 - y) * k / 5);
			await touch('touchEnd');
			await v.settle();
		};
		const overlap = () => v.page.evaluate(() => {
			const [line, ...words] = ['range', 'face', 'threads', 'all'].map((name) =>
				document.querySelector(`[data-fg=timeline] [data-fg=${name}]`).getBoundingClientRect());
			return words.filter(({left, width}) => width > 0 && left < line.right).length;
		});
		equal(await overlap(), 0, 'the hint is on a word');
		await swipe(await v.at(2), await v.at(6));
		equal(await overlap(), 0, 'the range is on a word');
		await v.chooses(2, 6);
		await v.page.locator('[data-tool=f]').tap();
		await v.settle();
		const {x, y, width} = await v.page.locator('[data-fg=frames]').boundingBox();
		await swipe([x + width / 2, y + 60], [x + width / 4, y + 60]);
		await v.chooses(3, 7);
		await v.page.locator('[data-tool=f]').tap();
		await v.element('query').locator('rect').tap();
		await v.settle();
		equal((await v.frame('query')).share, 1, 'a tap zooms');
		await v.close();
	},

	async 'without scripts the timeline is there'() {
		const v = await TimeView.strip('', {javaScriptEnabled: false});
		const lanes = v.page.locator('[data-fg=timeline] .lane');
		equal(await lanes.count(), 3, 'lanes');
		for (let i = 0; i < 3; i++) {
			const {width, height} = await lanes.nth(i).boundingBox();
			assert(width > 500 && height > 5, `${width} x ${height}`);
		}
		await v.close();
	},
};
