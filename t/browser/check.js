/* check.js - what flamegraph's pictures do in a browser.

   usage: node check.js FOLDER WORK [CHECK...]

   FOLDER has node_modules with playwright-core.  WORK is a folder for files;
   flamegraph is found in the PATH.  Prints "ok NAME" or "not ok NAME: why" for
   each check, or each whose name has one of the words, and ends with status 0, or 2 if the browser does not start. */
'use strict';

const {createRequire} = require('module');
const path = require('path');
const {View} = require('./view');

const {chromium} = createRequire(path.resolve(process.argv[2]) + '/')('playwright-core');
const checks = Object.assign({}, ...['views', 'state', 'data', 'heat', 'time', 'source', 'tasks', 'page'].map(
	(name) => require(`./checks/${name}`)));

/* A browser that has died may leave promises that nobody will keep. */
function inTime(promise) {
	let timer;
	const limit = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error('no answer for two minutes')), 120000);
	});

	return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

async function main() {
	const browser = View.browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || undefined,
		args: ['--no-sandbox', '--disable-gpu'],
	});
	browser.on('disconnected', () => process.exit(1));
	const chosen = process.argv.slice(4);
	for (const [name, check] of Object.entries(checks)) {
		if (chosen.length > 0 && !chosen.some((word) => name.includes(word)))
			continue;
		try {
			await inTime(check());
			console.log(`ok ${name}`);
		} catch (error) {
			console.log(`not ok ${name}: ${String(error.message).split('\n')[0]}`);
		}
	}
	browser.removeAllListeners('disconnected');
	await browser.close();
	/* Whatever a check that failed has left running. */
	process.exit(0);
}

main().catch((error) => {
	console.error(error.message);
	process.exit(2);
});
