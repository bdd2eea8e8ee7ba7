/* labels.js - what of a name fits. */

const cellsOf = (char) => (char.codePointAt(0) < 0x500 ? 1 : 2);

function widthOf(text) {
	let n = 0;
	for (const char of text)
		n += cellsOf(char);
	return n;
}

function head(text, cells) {
	let n = 0, end = 0;
	for (const char of text) {
		n += cellsOf(char);
		if (n > cells)
			break;
		end += char.length;
	}
	return text.slice(0, end);
}

/* Where the last part of a path or a C++ name begins, or 0. */
function lastPart(text) {
	for (let i = text.length - 1; i > 1; i--) {
		if (text[i] === '/')
			return i;
		if (text[i] === ':' && text[i - 1] === ':')
			return i - 1;
		if (text[i] === '>' || text[i] === ')')
			return 0;
	}
	return 0;
}

/* As svgtext_label(): the middle goes, where there is one. */
function fit(text, cells) {
	if (cells < 3)
		return '';
	if (widthOf(text) <= cells)
		return text;
	const cut = lastPart(text), tail = text.slice(cut);
	const room = cells - widthOf(tail) - 1;
	if (cut > 0 && room >= 0)
		return head(text.slice(0, cut), room) + '…' + tail;
	if (cut > 0 && cells > 6)
		return '…' + head(tail, cells - 2) + '…';
	return head(text, cells - 1) + '…';
}
