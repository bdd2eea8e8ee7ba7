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

/* As label_cut() of label.c, which explains each step. */
const isScript = (text) => /^(?:\/|\.\/|file:|node:)/.test(text);
const isOperator = (name, i) => name.endsWith('operator', i);
const isArgs = (name, i) => i > 0 && !'.:*'.includes(name[i - 1]) && !isOperator(name, i) &&
	!name.startsWith('(anonymous', i);

function nesting(name, i, depth) {
	const place = '<([{>)]}'.indexOf(name[i]);
	if (place < 0 || isOperator(name, i))
		return depth;
	return place < 4 ? depth + 1 : Math.max(0, depth - 1);
}

const EXTENSION = /^(?:(?:so|py|js|mjs|ts|rb|php|c|h|cc|cpp|go|rs|pl|isra|part|cold|constprop|llvm)(?![^:. ])|[0-9])/;

/* HotSpot's perf map has return types, but no arguments: "int java.lang.String.compareTo". */
const JAVA = /^(?:(?:void|boolean|byte|char|short|int|long|float|double|[\w$\x80-\uffff]*\.[\w$.\x80-\uffff]*)(?:\[\])* )(?!\/)[\w$.\/<>\x80-\uffff]+\.([\w$\/<>\x80-\uffff]+)$/;

/* Where its method begins, or 0. */
function javaMethod(name) {
	const [, last] = JAVA.exec(name) || [];
	return last && !EXTENSION.test(last) ? name.indexOf(' ') + 1 : 0;
}

/* Where a name begins and ends without return type, arguments and script. */
function withoutTypes(name) {
	let depth = 0, start = 0, i = 0;
	for (; i < name.length; i++) {
		if (depth === 0 && name[i] === '(' && i > start && isArgs(name, i))
			break;
		depth = nesting(name, i, depth);
		if (depth > 0 || name[i] !== ' ' || i + 1 === name.length)
			continue;
		if (isScript(name.slice(i + 1)))
			return [0, i];
		if (!isArgs(name, i + 1) || name[i + 1] !== '(')
			start = isOperator(name, i) ? start : i + 1;
	}
	if (i === name.length)
		return [javaMethod(name), i];
	while (i > start + 1 && name[i - 1] === ' ')
		i--;
	return [start, i];
}

function isPart(name, i) {
	if (i === 0)
		return true;
	if (i === name.length || '<{($'.includes(name[i]))
		return false;
	if (name[i - 1] === '.')
		return !EXTENSION.test(name.slice(i));
	return name[i - 1] === '/' || (name[i - 2] === ':' && ':~*^+'.includes(name[i - 1]));
}

/* What of a name fits into some cells. */
function fit(text, cells) {
	if (cells < 3)
		return '';
	if (widthOf(text) <= cells)
		return text;
	const [start, end] = withoutTypes(text), name = text.slice(start, end);
	const after = end < text.length ? '…' : '';
	let depth = 0, last = 0;
	for (let i = 0; i < name.length; i++) {
		if (depth === 0 && isPart(name, i)) {
			const before = start > 0 || i > 0 ? '…' : '';
			last = i;
			if (widthOf(name.slice(i)) + before.length + after.length <= cells)
				return before + name.slice(i) + after;
		}
		depth = nesting(name, i, depth);
	}
	return head(name.slice(last), cells - 1) + '…';
}
