/* main.js - the start. */

/* The bytes of a table. */
async function bytesOf(name) {
	const element = part(name), bytes = bytesOfBase64(element.textContent);
	return element.dataset.form === 'deflate' ? inflate(bytes) : bytes;
}

/* heat.js or time.js leaves it at the root where there is one. */
async function findHeat() {
	if (!root.heatMap)
		return;
	heat = await root.heatMap({
		part, make, button, commas,
		read: async (name) => new Reader(await bytesOf(name)),
		size: () => table.name.length,
		choose: setRange,
		isChart: () => view instanceof Chart,
		moved: () => view instanceof Chart && draw(),
		menu: showMenu,
		tell: (line1, line2) => {
			ui.line1.textContent = line1;
			say(line2);
		},
	});
	if (heat.threads && !cfg.reversed) {
		actions.f = ['flame chart: time from left to right', () => change({
			chart: !state.chart, reversed: false, focus: null,
			inverted: !state.chart || isTall(),   // the axis is below the strip
		})];
		listenToChart();
	}
	if (heat.turn)
		actions.w = ['activity or heat map', () => heat.turn()];
	actions.h = [part('heat') ? 'the heat map' : 'times and threads', () => heat.map.focus()];
}

async function main() {
	delete root.dataset.ready;
	root.querySelectorAll('[data-made]').forEach((element) => element.remove());
	table = loadTable(await bytesOf('table'));
	await findHeat();
	await findSource();
	makeControls();
	full = view = sampled = table;
	findMaxChange();
	adopt();
	/* To ask for the width means layout: of the frames only once they are drawn. */
	frames.setAttribute('display', 'none');
	width = measure(true);
	frames.removeAttribute('display');
	const key = loadState();
	if (state.reversed || state.order !== 'name' || state.hidden.length > 0 || state.filters.length > 0 ||
	    state.focus !== null || state.chart || state.ghost || state.diff !== cfg.diff || range)
		rebuild();
	draw();
	showShares();
	showScale();
	rowsAtTop = rows;
	if (key)
		state.zoom = findZoom(key);
	if (key || state.search || pins || state.table || state.filters.length > 0)
		update();
	listenToLegend();
	listen();
	root.dataset.ready = '1';
	/* What the first tooltip would have to wait for. */
	(window.requestIdleCallback || setTimeout)(() => functionsOf(full));
}

main();
