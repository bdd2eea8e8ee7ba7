/*
 * consumers.mjs - open a file in the program it is for, and print the stacks
 * that this shows as folded text: compare-export's other half.
 *
 *	node consumers.mjs FOLDER d3|firefox|speedscope FILE
 *
 * FOLDER is where npm installed the programs.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, format, file] = process.argv.slice(2).map((s, i) =>
	i === 1 ? s : resolve(s));
const require = createRequire(folder + '/');

/* Sums of doubles are exact to what a count may have of decimals. */
const print = (where, path, weight) =>
	console.log(where + path.join(';') + ' ' +
		String(Number(weight.toFixed(6))));

/* d3-flame-graph draws into a document without a browser. */
async function d3() {
	const { JSDOM } = require('jsdom');

	globalThis.window = new JSDOM('<div id="chart"></div>').window;
	globalThis.document = window.document;
	const { default: flamegraph } = require('d3-flame-graph');
	const { select } = await import(
		pathToFileURL(require.resolve('d3-selection')));
	const root = JSON.parse(readFileSync(file));
	const drawn = new Map();

	select('#chart').datum(root)
		.call(flamegraph().width(100000).minFrameSize(0));
	for (const g of document.querySelectorAll('g.frame'))
		drawn.set(g.__data__.data, g.__data__);
	for (const node of drawn.values()) {
		const self = node.value - (node.children ?? [])
			.reduce((sum, kid) => sum + kid.value, 0);

		if (node.depth > 0 && self > 0)
			print('', node.ancestors().reverse().slice(1)
				.map((n) => n.data.name), self);
	}
}

/* The Firefox Profiler's own importer and call tree, on the command line. */
function firefox() {
	const cli = require.resolve('@firefox-devtools/profiler-cli');
	const session = 'foldexport' + process.pid;
	const run = (...args) =>
		execFileSync(process.execPath, [cli, ...args],
			{ encoding: 'utf8', maxBuffer: 1 << 30, stdio: 'pipe',
			  env: { ...process.env, HOME: folder } });
	const ask = (...args) =>
		JSON.parse(run(...args, '--session', session, '--json'));
	const walk = (where, node, path) => {
		const below = (node.children ?? [])
			.reduce((sum, kid) => sum + kid.totalSamples, 0);

		if (node.childrenTruncated)
			throw new Error('the call tree is not whole');
		if (path.length > 0 && node.totalSamples > below + 1e-9)
			print(where, path, node.totalSamples - below);
		for (const kid of node.children ?? [])
			walk(where, kid, [...path, kid.name]);
	};

	/* It complains if its daemon takes more than half a second to begin. */
	const threads = () => {
		for (let tries = 0; ; tries++) {
			try {
				return ask('thread', 'list').threads;
			} catch (error) {
				if (tries === 20)
					throw error;
			}
		}
	};

	try {
		run('load', file, '--session', session);
	} catch { /* threads() tells */ }
	try {
		const all = threads();

		for (const { name, threadHandle } of all) {
			const tree = ask('thread', 'samples-top-down',
				'--thread', threadHandle, '--include-idle',
				'--max-lines', '1000000');

			walk(all.length > 1 ? name + ': ' : '',
				tree.regularCallTree, []);
		}
	} finally {
		run('stop', session);
	}
}

/* speedscope in a browser saves what it has read, as calls and returns. */
async function speedscope() {
	const { chromium } = require('playwright-core');
	const page = folder + '/node_modules/speedscope/dist/release/index.html';
	const script = folder + '/load.js', saved = folder + '/saved.json';
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ['--no-sandbox']
	});

	try {
		const tab = await (await browser.newContext()).newPage();
		const loaded = tab.waitForEvent('console', (message) =>
			message.text().startsWith('import:'));

		writeFileSync(script, 'speedscope.loadFileFromBase64("x", "' +
			readFileSync(file).toString('base64') + '")');
		await tab.goto(pathToFileURL(page) + '#localProfilePath=' +
			script);
		await loaded;
		await tab.waitForSelector('canvas');
		const download = tab.waitForEvent('download');
		await tab.keyboard.press('Control+s');
		await (await download).saveAs(saved);
	} finally {
		await browser.close();
	}
	const { shared, profiles } = JSON.parse(readFileSync(saved));

	for (const { name, events } of profiles) {
		const where = profiles.length > 1 ? name + ': ' : '';
		const path = [];
		let last = 0;

		for (const { type, frame, at } of events) {
			if (at > last && path.length > 0)
				print(where, path, at - last);
			last = at;
			if (type === 'O')
				path.push(shared.frames[frame].name);
			else
				path.pop();
		}
	}
}

await { d3, firefox, speedscope }[format]();
