/* view.js - what the checks ask of a picture in a browser, and some pictures. */
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');

const WIDE = {width: 1280, height: 900};
const work = path.resolve(process.argv[3]);

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
		view.context = await View.browser.newContext(
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

	/* The middle of a frame, scrolled to. */
	async middle(name, svg) {
		const rect = this.element(name, svg).locator('rect');
		await rect.scrollIntoViewIfNeeded();
		const {x, y, width, height} = await rect.boundingBox();
		return [x + width / 2, y + height / 2];
	}

	async hover(name, svg) {
		await this.page.mouse.move(...await this.middle(name, svg));
	}

	async click(name, svg, options) {
		const {page} = this;
		await page.mouse.click(...await this.middle(name, svg), options);
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

	async query() {
		return this.page.evaluate(() => document.querySelector('[data-fg=query]').value);
	}

	async text(part) {
		return this.page.evaluate((name) =>
			document.querySelector(`[data-fg=${name}]`).textContent, part);
	}

	async focused() {
		return this.page.evaluate(() =>
			document.activeElement.querySelector(':scope > title')?.textContent || '');
	}

	corner() {
		return this.pixel(2, 2);
	}

	/* The colour at a point of the window. */
	async pixel(x, y) {
		const png = await this.page.screenshot({clip: {x: Math.round(x), y: Math.round(y), width: 1, height: 1}});
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

module.exports = {DIFF, SMALL, View, WIDE, assert, equal, page, picture, work};
