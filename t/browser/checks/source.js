/* source.js - the source of functions, with shares. */
'use strict';

const fs = require('fs');
const path = require('path');
const {DIFF, View, assert, equal, picture, work} = require('../view');

const CODE = ['int', 'sum(int n)', '{', '\tint s = 0;', '',
	'\tfor (; n > 0; n--)', '\t\ts += n; /* </metadata><script>alert(1)</script> \u202e */', '\treturn s;', '}'];

/* A folder with the source of what the folded text has. */
function sourceOf(text, ...options) {
	const folder = path.join(work, 'source');
	fs.mkdirSync(folder, {recursive: true});
	fs.writeFileSync(path.join(folder, 'a.c'), [...CODE, ...Array(30).fill('/* far */'), 'main(void)', '{',
		'\tsum(9);', '}'].join('\n'));
	return picture('source.svg', text, '--source', folder, ...options);
}

const STACKS = `main:/b/a.c:42;sum:/b/a.c:6 10
main:/b/a.c:42;sum:/b/a.c:7 60
main:/b/a.c:42;sum:/b/a.c:7;sum:/b/a.c:7_[i] 20
main:/b/a.c:42;puts 10
`;

/* The rows of the panel: [line, self, total, text]. */
const rowsOf = (v) => v.page.evaluate(() => [...document.querySelectorAll('[data-fg=functions] tr[data-row]')]
	.map(({children: [line, self, , total, , text]}) => [line, self, total, text].map((cell) => cell.textContent)));

module.exports = {
	async 'the source of a function has the share of each line'() {
		const v = await View.open(sourceOf(STACKS));
		await v.press('v');
		let rows = await rowsOf(v);
		equal(rows.map(([, , , text]) => text), CODE.map((text) => text.replace('\u202e', '\ufffd'))
			.concat(Array(3).fill('/* far */')), 'text');
		equal(rows.filter(([, self]) => self !== '').map(([line, self, total]) => [line, self, total]),
			[['6', '10', '10'], ['7', '80', '80']], 'the line of a recursive call counts once');
		assert((await v.page.locator('[data-fg=functions] [aria-selected=true]').textContent()).startsWith('7'), 'the hottest');
		await v.press('v');
		await v.click('main:/b/a.c:42');
		await v.press('v');
		rows = await rowsOf(v);
		equal(rows.filter(([, self]) => self !== '').map(([line, self, total]) => [line, self, total]), [['42', '0', '100']], 'main');
		await v.page.reload();
		await v.page.waitForFunction(() => document.documentElement.dataset.ready);
		equal((await rowsOf(v)).filter(([, self]) => self !== '').length, 1, 'the address keeps it');
		await v.press('Enter');
		assert((await v.names()).includes('puts'), 'callees of the line');
		await v.press('Escape');
		equal((await rowsOf(v)).length, rows.length, 'Esc shows the source again');
		await v.close();
	},

	async 'the source opens from a table, the menu, and by a finger'() {
		const v = await View.open(sourceOf(STACKS));
		await v.press('t', 'End', 'ArrowUp', 'ArrowUp', 'v');
		assert((await v.text('details')).includes('no source of '), await v.text('details'));
		await v.press('Home', 'v');
		equal((await rowsOf(v)).find(([line]) => line === '7')[1], '80', 'of the table');
		await v.press('Escape', 'Escape');
		await v.click('puts', 0, {button: 'right'});
		equal(await v.page.getByRole('menuitem', {name: 'Source of this'}).count(), 0, 'none');
		await v.press('Escape');
		await v.click('sum:/b/a.c:6', 0, {button: 'right'});
		await v.page.getByRole('menuitem', {name: 'Source of this'}).click();
		await v.settle();
		equal((await rowsOf(v)).length, 12, 'of the menu');
		await v.close();
		const phone = await View.open(sourceOf(STACKS), {hasTouch: true, isMobile: true, viewport: {width: 420, height: 800}});
		await phone.page.locator('[data-tool=v]').tap();
		await phone.settle();
		equal((await rowsOf(phone)).length, 12, 'by a finger');
		await phone.close();
		const none = await View.open(picture('diff.svg', DIFF));
		await none.press('v');
		equal(await none.page.locator('[data-tool=v]').count(), 0, 'without source');
		await none.close();
	},

	async 'lines of a diff have their change, and hidden stacks no share'() {
		const v = await View.open(sourceOf('sum:a.c:6 10 10\nsum:a.c:7 30 60\n'));
		await v.press('v');
		const cells = await v.page.evaluate(() => [...document.querySelectorAll('[data-fg=functions] tr[data-row]')]
			.map((row) => [...row.children].map((cell) => cell.textContent)).filter(([, self]) => self !== ''));
		equal(cells.map((row) => row[5]), ['0.00%', '+42.86%'], 'changes');
		await v.close();
		const hidden = await View.open(sourceOf(STACKS) + '#l=source&y=-:6%24');
		equal((await rowsOf(hidden)).filter(([, self]) => self !== '').map(([, self]) => self), ['0', '80'], 'hidden');
		await hidden.close();
	},
};
