// node_parked.js - threads that wait in functions called in every way that
// there is; each prints its own stack: one line a frame, outermost first, of
// name, file and line of the function, and the line where it is.
'use strict';
const fs = require('fs');
const { Worker, isMainThread, workerData } = require('worker_threads');
const never = new Int32Array(new SharedArrayBuffer(4));

Error.stackTraceLimit = 1000;

function describe(call) {
  const file = call.getFileName();
  // A computed name is a property of the object, and not of the function.
  const name = (call.getFunctionName() || '').replace(/^\[.*\]$/, '') ||
    '(anonymous)';
  if (call.isEval())
    return [`(anonymous) ${call.getLineNumber()}`];
  if (!file)
    return [];
  return [`${name} ${file}:${call.getEnclosingLineNumber()} ${call.getLineNumber()}`];
}

function park(x) {
  Error.prepareStackTrace = (error, calls) =>
    calls.reverse().map(describe).flat();
  const stack = new Error().stack;
  Error.prepareStackTrace = undefined;
  fs.writeSync(1, [...stack, 'end', ''].join('\n'));
  Atomics.wait(never,
    0, 0);
  return x;
}

class Thing {
  #secret = 1;
  static of() { return new Thing().method(1); }
  constructor(x) { this.x = x; }
  method(x) { return this.#hidden(x); }
  #hidden(x) { return park(x); }
  get value() { return park(this); }
  toString() { return park('text'); }
  valueOf() { return park(1); }
  [Symbol.iterator]() { return { next: () => park({ done: true }) }; }
}

class Derived extends Thing {
  field = park(1);
}

function* generate() {
  yield 1;
  yield park(2);
}

function* delegate() {
  yield* generate();
}

function recurse(n) {
  return n === 0 ? park(n) : recurse(n - 1);
}

async function waits() {
  await null;
  park();
}

const größe = () => park();

// A letter that is a pair of surrogates, and another one.
const 𝒜名 = () => park();

const shapes = {
  bySort() { return [3, 1, 2].sort((a, b) => park(a - b)); },
  byMap() { return [1].map((x) => park(x)); },
  byForEach() { [1].forEach(function each(x) { park(x); }); },
  byReduce() { return [1, 2].reduce((a, b) => park(a)); },
  byReplace() { return 'banana'.replace(/n/g, () => park('')); },
  byGenerator() { return [...generate()]; },
  byDelegation() { for (const x of delegate()) x; },
  byStatic() { return Thing.of(); },
  byGetter() { return new Thing().value; },
  byString() { return `${new Thing()}`; },
  byValue() { return new Thing() + 1; },
  byIterator() { const [x] = new Thing(); return x; },
  byField() { return new Derived(); },
  byProxy() { return new Proxy({}, { get: (o, k) => park(k) }).x; },
  byReflection() { return Reflect.construct(function made() { park(); }, []); },
  byApply() { return park.apply(null, [1]); },
  byBind() { return park.bind(null, 1)(); },
  byJson() { return JSON.stringify({ toJSON() { return park(1); } }); },
  byParse() { return JSON.parse('[1]', (k, v) => park(v)); },
  byEval() { return eval('park(1)'); },
  byRecursion() { return recurse(150); },
  byUnicode() { return größe(); },
  byPairs() { return 𝒜名(); },
  bySpread() { return Math.max(...[1].map(park)); },
  byTag() { return ((s, x) => park(x))`a${1}`; },
  byPromise() { return new Promise((resolve) => park(resolve)); },
  byThen() { Promise.resolve(1).then(function then(x) { park(x); }); },
  byAwait() { waits(); },
  byTimer() { setTimeout(function timer() { park(); }, 1); },
  byTick() { process.nextTick(function tick() { park(); }); },
  byLines() {
    const x = [1, 2,
      3].filter((y) =>
      y > 2 &&

      park(y));
    return x;
  },
};

if (isMainThread) {
  for (const shape of Object.keys(shapes))
    new Worker(__filename, { workerData: shape });
} else {
  shapes[workerData]();
}
