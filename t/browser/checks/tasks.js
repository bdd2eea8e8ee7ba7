/* tasks.js - questions of an investigation, each answered in few actions. */
'use strict';

const {DIFF, SMALL, View, assert, equal, picture} = require('../view');

const STREAM = '#fold=1;counts=1;unit=ns;clock=perf\n' + Array.from({length: 500}, (_, k) =>
	`#time=${1 + Math.floor(k / 100)}.${String(k % 100).padStart(2, '0')}0000000;tid=${1 + k % 2}\n` +
	`app;${k >= 200 && k < 300 ? 'collect' : 'serve'} 10\n`).join('');

/* Keys, words, clicks and drags, counted; what is typed is one action. */
class Task extends View {
	static async of(text, ...options) {
		const task = Object.setPrototypeOf(await View.open(picture('task.svg', text, ...options)), Task.prototype);
		task.actions = 0;
		return task;
	}

	async key(name) {
		this.actions++;
		await this.press(name);
	}

	async type(word) {
		this.actions++;
		await this.page.keyboard.type(word);
		await this.settle();
	}

	async tap(locator) {
		this.actions++;
		await locator.click();
		await this.settle();
	}

	/* Tab to the control of that name, as one goes who sees the focus. */
	async reach(name) {
		for (let tabs = 0; tabs < 30; tabs++) {
			await this.press('Tab');
			if (await this.page.evaluate(() => document.activeElement.textContent.trim()) === name)
				return;
		}
		throw new Error(`no way to ${name} by Tab`);
	}

	/* Begin a search, and type what is searched. */
	async seek(word) {
		await this.press('/');
		await this.page.keyboard.type(word);
		await this.settle();
	}

	/* The rows of the table as text, the widest first. */
	async rows() {
		return this.page.evaluate(() => [...document.querySelectorAll('[data-fg=functions] tr[data-row]')]
			.map((row) => row.lastChild.textContent.trim()));
	}

	/* Of callers and callees, the widest beside the function in the middle. */
	async widest(row) {
		const list = (await this.frames()).filter((f) => f.row === row);
		return list.sort((a, b) => b.share - a.share)[0].name;
	}

	async done(most) {
		assert(this.actions <= most, `${this.actions} actions, not ${most}`);
		await this.close();
	}
}

module.exports = {
	/* The numbers are those of speedscope 1.25, or of the plan where it cannot. */
	async 'ten questions are answered in few actions'() {
		let v = await Task.of(SMALL);
		await v.key('t');
		equal((await v.rows())[0], 'read', 'most self');
		await v.done(1);

		v = await Task.of(SMALL);
		await v.key('t');
		await v.tap(v.page.getByRole('button', {name: 'Total', exact: true}));
		equal((await v.rows()).slice(0, 2), ['main', 'parse'], 'most total');
		await v.done(2);

		v = await Task.of(SMALL);
		await v.key('/');
		await v.type('lex');
		await v.key('Control+Enter');
		equal(await v.widest(1), 'parse', 'who calls lex most');
		await v.done(4);

		v = await Task.of(SMALL);
		await v.key('/');
		await v.type('parse');
		await v.key('Control+Enter');
		equal(await v.widest(2), 'lex', 'what parse calls most');
		await v.done(4);

		v = await Task.of(SMALL);
		await v.key('o');
		const left = Math.min(...(await v.frames()).map((f) => f.left)) + 2;
		equal((await v.frames()).filter((f) => f.left < left).map((f) => f.name), ['all', 'main', 'parse', 'lex'],
			'the hottest path, at the left');
		await v.done(1);

		v = await Task.of(STREAM);
		const {x, y, width} = await v.page.locator('[data-fg=timeline] > .hit').boundingBox();
		await v.page.mouse.move(x + 2 / 5 * width, y + 9);
		await v.page.mouse.down();
		await v.page.mouse.move(x + 2.99 / 5 * width, y + 9, {steps: 3});
		await v.page.mouse.up();
		v.actions++;
		await v.settle();
		equal((await v.frame('collect')).share > 0.97, true, 'what ran between 2 s and 3 s');
		await v.done(2);

		v = await Task.of(STREAM);
		await v.tap(v.page.locator('[data-lane="1"]'));
		assert((await v.text('range')).endsWith('50.00% of all counts'), 'one thread');
		await v.done(1);

		v = await Task.of(SMALL);
		await v.key('/');
		await v.type('^(tree|comp)');
		assert((await v.text('matched')).startsWith('Matched: 45.00%'), await v.text('matched'));
		await v.done(2);

		v = await Task.of(SMALL);
		await v.key('/');
		await v.type('lex');
		await v.key('Enter');
		await v.key('Enter');
		assert((await v.text('details')).includes('lex (9'), await v.text('details'));
		await v.done(5);

		v = await Task.of(DIFF);
		await v.key('t');
		await v.tap(v.page.getByRole('button', {name: 'Total by', exact: true}));
		equal((await v.rows())[0], 'grew', 'what grew');
		await v.done(2);
	},

	/* The same questions without a pointer, which would be an error here. */
	async 'ten questions are answered by keys alone'() {
		const open = async (...picture) => {
			const v = await Task.of(...picture);
			for (const name of ['move', 'down', 'click', 'wheel'])
				v.page.mouse[name] = () => assert(false, 'a pointer');
			return v;
		};

		let v = await open(SMALL);
		await v.press('t');
		equal((await v.rows())[0], 'read', 'most self');
		await v.reach('Total');
		await v.press('Enter');
		equal((await v.rows()).slice(0, 2), ['main', 'parse'], 'most total');
		await v.close();

		v = await open(SMALL);
		await v.seek('lex');
		await v.press('Control+Enter');
		equal(await v.widest(1), 'parse', 'who calls lex most');
		await v.press('Escape', 'Escape', 'Escape');
		await v.close();

		v = await open(SMALL);
		await v.seek('parse');
		await v.press('Control+Enter');
		equal(await v.widest(2), 'lex', 'what parse calls most');
		await v.close();

		v = await open(SMALL);
		await v.press('Tab', 'ArrowUp', 'ArrowUp', 'ArrowUp');
		assert((await v.focused()).startsWith('lex ('), await v.focused());
		await v.close();

		v = await open(STREAM);
		await v.press('h', ...Array(40).fill('ArrowRight'), 'Enter', ...Array(20).fill('ArrowRight'), 'Enter');
		assert((await v.frame('collect')).share > 0.9, 'what ran between 2 s and 3 s');
		await v.press('Escape', 't');
		await v.press('ArrowDown', 'Enter');
		assert((await v.text('range')).endsWith('50.00% of all counts'), `one thread: ${await v.text('range')}`);
		await v.close();

		v = await open(SMALL);
		await v.seek('^(tree|comp)');
		assert((await v.text('matched')).startsWith('Matched: 45.00%'), await v.text('matched'));
		await v.close();

		v = await open(SMALL);
		await v.seek('lex');
		await v.press('Enter', 'Enter');
		assert((await v.text('details')).includes('lex (9'), await v.text('details'));
		await v.close();

		v = await open(DIFF);
		await v.press('t');
		await v.reach('Total by');
		await v.press('Enter');
		equal((await v.rows())[0], 'grew', 'what grew');
		await v.close();
	},
};
