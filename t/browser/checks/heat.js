/* heat.js - the heat map and its ranges. */
'use strict';

const {execFileSync} = require('child_process');

const {View, assert, equal, picture} = require('../view');

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

module.exports = {
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
};
