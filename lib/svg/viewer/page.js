/* page.js - what the viewer knows of the page it is in. */

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const PAD = 10;       // beside the frames, px
const NARROW = 1.5;   // below that a frame is a part of a path, px
const SLIVER = 0.5;   // below that it is not drawn alone, px
const SMALL = 800;    // boxes that all get an element
const MANY = 20000;   // frames of a picture that is drawn on a canvas
const FEW = 200;      // where more boxes than that are in sight
const LABELLED = 4;   // in larger pictures, what is that wide gets one, cells
const PINS = 4;       // searches that can be kept, each in its colour
const LARGE = 200000; // frames of a picture that is not changed before it is seen
const SAME = 8;       // of the 17 colours of a diff, the middle one

const script = document.currentScript;
const root = script.closest('svg');
const cfg = JSON.parse(root.dataset.cfg);
/** @type {(name: string) => SVGGraphicsElement} */
const part = (name) => root.querySelector(`[data-fg=${name}]`);
const frames = part('frames');
const alone = document.documentElement.isSameNode(root);
/* A page that a browser saved has what the viewer made, before its script. */
const isSaved = root.dataset.ready !== undefined;
const hasPage = alone || document.documentElement.dataset.foldstack !== undefined;
