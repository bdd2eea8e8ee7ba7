/* ratio.js - colours and numbers where width is one event, and colour a ratio. */

/* The ratio of two counts, or null; the table has both with one scale. */
const quotient = (over, under) => (under > 0 ? cfg.ratio.factor * over / under : null);

/* As svgratio_print(). */
const ratioText = (ratio) => (ratio === null ? '-' : rounded(ratio, cfg.ratio.places));

const ratioOf = (view, frame) => quotient(view.totalBefore(frame), view.total(frame));

/* "1.23 instructions per cycle" */
const ratioWords = (view, frame) => `${ratioText(ratioOf(view, frame))} ${cfg.ratio.unit}`;

/* A count of the first event, which has another unit than the width. */
const overText = (n) => `${commas(rounded(n / 10 ** cfg.scale, 0))} ${cfg.ratio.over}`;

/* As svgratio_step(). */
function ratioStep(view, frame) {
	const ratio = ratioOf(view, frame), {whole, most} = cfg.ratio;
	if (ratio === null || whole <= 0)
		return SAME;
	const steps = SAME * Math.log2(ratio / whole) / Math.log2(most);
	const step = Math.sign(steps) * Math.min(SAME, Math.round(Math.abs(steps)));
	return SAME + (cfg.negate ? -step : step);
}
