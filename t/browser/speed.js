/* speed.js - CPU time and memory that a picture of a million frames takes.

   usage: node speed.js FOLDER WORK [FRAMES]

   FOLDER has node_modules with playwright-core.  WORK is a folder for files;
   flamegraph is found in the PATH.  Prints, for each action, the median and the
   largest CPU time in ms of all threads of the browser in the half second
   around the action, less that of half a second without one. */
'use strict';

const {spawn, execFileSync} = require('child_process');
const {createRequire} = require('module');
const fs = require('fs');
const path = require('path');

const [folder, work, frames = '1000000'] = process.argv.slice(2);
const {chromium} = createRequire(path.resolve(folder) + '/')('playwright-core');

/* Random, but the same each time. */
let seed = 1;
function random() {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return seed / 4294967296;
}

/* Lines of folded text for n frames that share a weight: four of five frames have
   one child, others two to eight. */
function *stacks(stack, n, weight) {
	const last = stack.split(';').length === 91 || n < 2;
	const own = last ? weight : weight * random() ** 2 * 0.1;
	if (own >= 1)
		yield `${stack} ${Math.floor(own)}`;
	if (last)
		return;
	const kids = random() < 0.82 ? 1 : 2;
	const part = Array.from({length: kids}, () => 0.2 + random());
	const all = part.reduce((a, b) => a + b, 1e-9);
	for (let k = 0; k < kids; k++) {
		const i = Math.floor(random() * random() * 19000);
		const name = `pkg${i % 97}::Type${i % 613}::method_${i}`;
		const share = part[k] / all;
		yield *stacks(`${stack};${name}`, Math.round((n - 1) * share), (weight - own) * share);
	}
}

async function write(out, n) {
	let chunk = [];
	for (const line of stacks('main', n, 1e9)) {
		chunk.push(line);
		if (chunk.length === 2000) {
			if (!out.write(chunk.join('\n') + '\n'))
				await new Promise((done) => out.once('drain', done));
			chunk = [];
		}
	}
	out.end(chunk.join('\n') + '\n');
}

async function picture(file) {
	const child = spawn('flamegraph', ['-q', '-o', file], {stdio: ['pipe', 'inherit', 'inherit']});
	const ended = new Promise((done) => child.on('close', done));
	await write(child.stdin, Number(frames));
	await ended;
}

const read = (file) => {
	try {
		return fs.readFileSync(file, 'latin1');
	} catch (error) {
		return '';
	}
};

/* All processes that this one started. */
function descendants() {
	const parent = new Map(fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
		.map((pid) => [pid, / \S ([0-9]+) /.exec(read(`/proc/${pid}/stat`))?.[1]]));
	const below = (pid) => pid === String(process.pid) || (parent.has(pid) && below(parent.get(pid)));
	return [...parent.keys()].filter((pid) => pid !== String(process.pid) && below(pid));
}

/* CPU time of the browser so far, ms. */
function cpu() {
	let sum = 0;
	for (const pid of descendants()) {
		for (const tid of fs.existsSync(`/proc/${pid}/task`) ? fs.readdirSync(`/proc/${pid}/task`) : [])
			sum += Number(read(`/proc/${pid}/task/${tid}/schedstat`).split(' ')[0] || 0) / 1e6;
	}
	return sum;
}

/* Memory of the largest process, MB. */
const memory = () => Math.max(...descendants().map((pid) =>
	Number(/^Pss: *(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] || 0) / 1024));

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function main() {
	const file = path.resolve(work, `speed${frames}.svg`);
	if (!fs.existsSync(file))
		await picture(file);
	console.log('file', (fs.statSync(file).size / 1e6).toFixed(2), 'MB');
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
	});
	const page = await browser.newPage({viewport: {width: 1200, height: 813}});
	page.on('pageerror', (error) => console.log('error', error.message));
	const start = Date.now();
	await page.goto('file://' + file);
	await page.waitForFunction(() => document.documentElement.dataset.ready, null, {timeout: 60000});
	console.log('ready', Date.now() - start, 'ms,', memory().toFixed(0), 'MB');
	await wait(1500);
	await page.evaluate(() => [...document.querySelectorAll('title')]
		.find((title) => title.textContent.startsWith('all (')).nextSibling.scrollIntoView({block: 'nearest'}));
	const root = () => page.evaluate(() => {
		const {top} = [...document.querySelectorAll('title')].find((title) =>
			title.textContent.startsWith('all (')).nextSibling.getBoundingClientRect();
		return {top, step: top < innerHeight / 2 ? 16 : -16};
	});
	await wait(500);
	const cost = async (action) => {
		const before = cpu();
		await action();
		await wait(500);
		return cpu() - before;
	};
	const idle = await cost(() => page.evaluate(() => 1));
	const measure = async (name, n, ...actions) => {
		const list = [];
		for (let i = 0; i < n; i++) {
			for (const action of actions)
				list.push(await cost(action) - idle);
		}
		list.sort((a, b) => a - b);
		console.log(name.padEnd(14), 'median', list[list.length >> 1].toFixed(0).padStart(5),
			'max', list[list.length - 1].toFixed(0).padStart(5));
	};
	const zoom = (row, x) => async () => {
		const {top, step} = await root();
		await page.mouse.click(x, top + 8 + row * step);
	};
	const key = (name) => () => page.keyboard.press(name);
	const text = (words) => () => page.evaluate((value) => {
		const query = document.querySelector('[data-fg=query]');
		query.value = value;
		query.dispatchEvent(new Event('input'));
	}, words);
	await measure('zoom', 4, zoom(3, 300), key('0'), zoom(6, 700), key('0'));
	await measure('search', 3, text('method_77'), text(''), text('Type5'), text('9$'));
	await text('')();
	await measure('icicle', 3, key('i'), key('i'));
	await measure('weight', 3, key('o'), () => key('o')().then(key('o')));
	await measure('from leaves', 3, key('r'), key('r'));
	await measure('sandwich', 3, async () => {
		const {top, step} = await root();
		await page.mouse.move(400, top + 8 + 5 * step);
		await page.keyboard.press('s');
	}, key('Escape'));
	console.log('memory', memory().toFixed(0), 'MB');
	await browser.close();
}

main();
