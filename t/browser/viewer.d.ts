/* viewer.d.ts - what the types of browsers lack of what the viewer uses. */
/* table.js */
interface TableReader {
	number(): number;
	text(): string;
	column<T>(n: number, out: T): T;
}

type TypedColumn = {subarray(from: number): any};

/* What time.js gives to timegrid.js. */
interface Timeline {
	tick: number;
	ticks: number;
	height: number;
	time: Uint32Array;
	weight: Float64Array;
	only: number | null;
	chosen: [number, number] | null;
	samples(range?: number[]): Iterable<number>;
}

/* What main.js gives to time.js and heat.js. */
interface Viewer {
	part(name: string): SVGGraphicsElement;
	make(tag: string, attributes: object, parent?: Element | null, text?: string): SVGElement;
	button(id: string, text: string, action: () => void, parent?: Element): SVGElement;
	commas(digits: string): string;
	read(name: string): Promise<TableReader>;
	size(): number;
	choose(range: {self: Float64Array, samples: number} | null): void;
	isChart(): boolean;
	moved(): void;
	menu(items: [string, () => void][], id: string, x: number, y: number): void;
	tell(line1: string, line2: string): void;
}

/* layout.js: all but the frames, and what is known of it.  Lengths are px of the picture. */
interface Ui {
	topmost: number;   /* the part of the picture that is in the window */
	bottom: number;
	scale: number;   /* pixels of the page for one of the picture */
	total: number;   /* height of the picture without popups */
	titleEnd: number;
	chipsAt: number;
	popupEnd: number;
	toolsWidth: number;
	toolsHeight: number;
	toolsFor: number;   /* widths that they were measured and fitted for */
	fitted: number;
	tipWide: number;
	tipHigh: number;
	placing: number;   /* requests for a frame of the browser */
	saving: number;
	floats: boolean;
	dragged: boolean;
	printing: boolean;
	painted: boolean;   /* the frames are on the canvas */
	step: boolean;   /* the next address is a new step */
	drawn: [number, number];   /* first and last row that is drawn */
	match: any;   /* frames of the view */
	tipFrame: any;
	pins: {text: string, found: Uint8Array}[];
	table: any;   /* a FunctionTable, if it is shown */
	controls: SVGGraphicsElement;
	foot: SVGGraphicsElement;
	bar: SVGGraphicsElement;
	back: SVGGraphicsElement;
	edge: SVGGraphicsElement;
	details: SVGGraphicsElement;
	line1: SVGGraphicsElement;
	line2: SVGGraphicsElement;
	matched: SVGGraphicsElement;
	cover: SVGGraphicsElement;
	box: SVGGraphicsElement;   /* has the layer, which has all below */
	layer: HTMLElement;
	strip: HTMLElement;
	tools: HTMLElement;
	tool: {[key: string]: HTMLElement};
	reset: HTMLElement;
	keys: HTMLElement;
	query: HTMLInputElement;
	walk: HTMLElement;
	count: HTMLElement;
	kept: HTMLElement;
	tip: HTMLElement;
	popup: HTMLElement;
	popupFrom: any;   /* had the focus before */
}

/* Numbers become text by themselves. */
interface Element {
	setAttribute(name: string, value: string | number): void;
}

interface SVGSVGElement {
	heatMap?: (viewer: any) => Promise<any>; /* left by heat.js or time.js for flame.js */
	timeGrid?: any; /* left by timegrid.js for time.js */
}

interface Uint8ArrayConstructor {
	fromBase64?: (text: string) => Uint8Array; /* of browsers from 2025 on */
}
