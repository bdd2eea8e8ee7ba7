/* beside.js - for t/gallery: pictures of other tools beside ours.

   usage: node beside.js LIBRARY FOLDER [SPEEDSCOPE]

   For each of-NAME.svg of the folder: a screenshot of it, of NAME.pl.svg, of
   NAME.async.html and of speedscope with NAME.speedscope.js, as far as there
   are any; and beside.html with all of them. */
'use strict';

const fs = require('fs');
const path = require('path');

const [library, folder, speedscope] = process.argv.slice(2);
const {chromium} = require(library);
const viewport = {width: 1280, height: 800};

/* Other tools' pages of a profile: [tool, address]. */
function pagesOf(name) {
	const file = (end) => path.join(folder, name + end), pages = [['foldstack', file('.svg')]];
	for (const [tool, end] of [['flamegraph.pl', '.pl.svg'], ['async-profiler', '.async.html']]) {
		if (fs.existsSync(file(end)))
			pages.push([tool, file(end)]);
	}
	if (speedscope && fs.existsSync(file('.speedscope.js')))
		pages.push(['speedscope', `${path.resolve(speedscope)}/index.html#localProfilePath=${file('.speedscope.js')}`]);
	return pages.map(([tool, address]) => [tool, 'file://' + address]);
}

async function main() {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu'],
	});
	const rows = [];
	for (const file of fs.readdirSync(folder).sort()) {
		const [, name] = /^(of-[^.]*)\.svg$/.exec(file) || [], pages = name ? pagesOf(name) : [];
		if (pages.length < 2)
			continue;
		const cells = [];
		for (const [tool, address] of pages) {
			const page = await browser.newPage({viewport});
			const shot = `${name}-by-${tool}.png`;
			await page.goto(address);
			await page.waitForTimeout(tool === 'speedscope' ? 2500 : 300);
			await page.screenshot({path: path.join(folder, shot)});
			await page.close();
			cells.push(`<td><a href="${shot}"><img width="600" alt="${name} by ${tool}" src="${shot}"></a><br>${tool}`);
		}
		rows.push(`<tr>${cells.join('')}`);
	}
	await browser.close();
	if (rows.length > 0)
		fs.writeFileSync(path.join(folder, 'beside.html'), '<!DOCTYPE html><meta charset="utf-8">' +
			`<title>foldstack beside others</title>\n<table>\n${rows.join('\n')}\n</table>\n`);
	console.log(`${rows.length} profiles beside other tools`);
}

main();
