// node_grammar.js - runs for ever; which function may call which is known, so
// that a stack that never was can be told.  w0 to w9 are each called by the one
// before, in different ways; rec is 51 deep under leaf.
'use strict';
function w0() { return w1(3); }
function w1(n) { const a = []; for (let i = 0; i < n; i++) a.push(i); return a.map(w2).reduce((s, x) => s + x, 0); }
function w2(x) { return [x, x + 1].sort(w3)[0]; }
function w3(x, y) { let s = 0; for (const v of w4(x)) s += v; return s > 1e9 ? x : y; }
function* w4(x) { yield x; yield w5(x); }
class Thing { constructor(x) { this.x = x; } get w6() { return w7.call(this, this.x); } }
function w5(x) { return new Thing(x).w6; }
function w7(x) { return w8(x, ...[]); }
function w8(...args) { rec(50); return w9(args); }
function w9(args) { return args[0] + 1; }
function rec(n) { if (n) return rec(n - 1); return leaf(); }
function leaf() { let x = 0; for (let i = 0; i < 20; i++) x += i; return x; }
function main() { for (let i = 0; i < 100; i++) w0(); }
require('fs').writeSync(1, 'ready\n');
for (;;) main();
