/* shots.js - screenshots for t/gallery: node shots.js LIBRARY FOLDER */
'use strict';

const fs = require('fs');

const [library, folder] = process.argv.slice(2);
const {chromium} = require(library);
const WIDE = {width: 1280, height: 800}, NARROW = {width: 420, height: 800}, LARGE = {width: 1920, height: 1080};

/* What to do to a picture before it is taken. */
const search = (text) => (page) => page.fill('[data-fg=query]', text);
const keys = (...list) => async (page) => {
	for (const key of list)
		await page.keyboard.press(key);
};
const zoom = keys('Tab', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter');
const range = keys('h', ...Array(20).fill('ArrowRight'), 'Enter', ...Array(15).fill('ArrowRight'), 'Enter');
const choose = keys('h', ...Array(21).fill('ArrowRight'), 'Enter', 'w');

const shots = [
	['default', {viewport: WIDE}],
	['default', {viewport: WIDE, colorScheme: 'dark'}],
	['default', {viewport: NARROW}],
	['default', {viewport: NARROW, colorScheme: 'dark'}],
	['default', {viewport: WIDE}, 'zoomed', zoom],
	['default', {viewport: WIDE, colorScheme: 'dark'}, 'zoomed', zoom],
	['default', {viewport: WIDE}, 'searched', search('java|tcp')],
	['default', {viewport: WIDE, colorScheme: 'dark'}, 'searched', search('java|tcp')],
	['default', {viewport: NARROW}, 'searched', search('java|tcp')],
	['default', {viewport: WIDE}, 'reversed', keys('r')],
	['default', {viewport: WIDE}, 'sandwich', keys('Tab', 'ArrowUp', 'ArrowUp', 'ArrowUp', 's')],
	['default', {viewport: WIDE}, 'by-weight', keys('o', 'i')],
	['default', {viewport: NARROW}, 'help', keys('?')],
	['diff', {viewport: WIDE}],
	['diff', {viewport: WIDE, colorScheme: 'dark'}],
	['diff', {viewport: NARROW}],
	['diff', {viewport: WIDE}, 'total', keys('a')],
	['diff', {viewport: WIDE}, 'before', keys('g')],
	['heatmap', {viewport: WIDE}],
	['heatmap', {viewport: WIDE, colorScheme: 'dark'}, 'chosen', choose],
	['heatmap', {viewport: NARROW}, 'chosen', choose],
	['heatmap-static', {viewport: WIDE, colorScheme: 'dark'}],
	['times', {viewport: WIDE}],
	['times', {viewport: WIDE, colorScheme: 'dark'}, 'range', range],
	['times', {viewport: NARROW}, 'range', range],
	['times', {viewport: WIDE}, 'chart', async (page) => {
		await range(page);
		await page.keyboard.press('f');
	}],
	['times', {viewport: NARROW, colorScheme: 'dark'}, 'chart', keys('f')],
	['times-static', {viewport: WIDE}],
	['default', {viewport: WIDE}, 'functions', keys('t')],
	['default', {viewport: WIDE, colorScheme: 'dark'}, 'tree', keys('e', 'p')],
	['default', {viewport: NARROW}, 'without-recursion', keys('m')],
	['background', {viewport: WIDE, colorScheme: 'dark'}],
	['static', {viewport: NARROW}],
];

/* The twenty profiles, in three sizes, light and dark. */
for (const file of fs.readdirSync(folder).sort()) {
	const [, name] = /^(of-.*)\.svg$/.exec(file) || [];
	for (const viewport of name ? [WIDE, NARROW, LARGE] : []) {
		for (const colorScheme of ['light', 'dark'])
			shots.push([name, {viewport, colorScheme}]);
	}
}

async function main() {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu'],
	});
	const sheet = [];
	for (const [name, options, what, act] of shots) {
		const context = await browser.newContext(options);
		const page = await context.newPage();
		await page.goto(`file://${folder}/${name}.svg`);
		await page.waitForFunction(() => !document.documentElement.dataset.cfg ||
			document.documentElement.dataset.ready);
		if (act)
			await act(page);
		await page.waitForTimeout(150);
		const file = [name, what, options.viewport.width, options.colorScheme]
			.filter(Boolean).join('-') + '.png';
		await page.screenshot({path: `${folder}/${file}`});
		sheet.push(`<a href="${file}"><img height="300" alt="${file}" src="${file}"></a>`);
		await context.close();
	}
	await browser.close();
	fs.writeFileSync(`${folder}/sheet.html`,
		`<!DOCTYPE html><meta charset="utf-8"><title>foldstack</title>\n${sheet.join('\n')}\n`);
	console.log(`${shots.length} screenshots`);
}

main();
