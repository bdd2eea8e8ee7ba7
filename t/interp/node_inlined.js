// node_inlined.js - waits in park(), which outer() calls by two functions that
// are inlined in it.
const fs = require('fs');
let go = false; function park(x) { if (go) wait(); return x; }
function inner(x) { return park(x) + 1; }
function middle(x) { return inner(x) * 2; }
function outer(x) { let s = 0; for (let i = 0; i < 9; i++) s += middle(i); return s; }
function wait() {
  fs.writeSync(1, 'ready\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

%NeverOptimizeFunction(park);
for (const f of [inner, middle, outer])
  %PrepareFunctionForOptimization(f);
for (let i = 0; i < 100; i++)
  outer(i);
%OptimizeFunctionOnNextCall(outer);
outer(1);
go = true;
outer(2);
