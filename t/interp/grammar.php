<?php
// grammar.php - runs for ever; which function may call which is known, so that a
// stack that never was can be told.  w0 to w9 are each called by the one before,
// in different ways; rec is 51 deep under leaf.

function w0() { return w1(3); }

function w1($n) { return array_sum(array_map("w2", range(1, $n))); }

function w2($x)
{
	$a = [$x, $x + 1];
	usort($a, function ($p, $q) { return w3($p) <=> $q; });
	return $a[0];
}

function w3($x)
{
	foreach (w4($x) as $y)
		;
	return $y;
}

function w4($x)
{
	yield $x;
	yield from delegated($x);
}

function delegated($x)
{
	yield w5($x);
}

class Thing
{
	public $x;
	function __construct($x) { $this->x = $x; }
	function __get($name) { return call_user_func([$this, "w6"]); }
	function w6() { return w7($this->x); }
}

function w5($x) { return (new Thing($x))->absent; }

function w7($x)
{
	if (class_exists("Fiber", false)) {
		$fiber = new Fiber("w8");
		$fiber->start($x);
		$fiber->resume();
		return $fiber->getReturn();
	}
	return w8($x);
}

function w8(...$args)
{
	if (class_exists("Fiber", false))
		Fiber::suspend();
	rec(50);
	return w9($args);
}

function w9($args) { return $args[0] + 1; }

function rec($n)
{
	if ($n)
		return rec($n - 1);
	return leaf();
}

function leaf()
{
	$x = 0;
	for ($i = 0; $i < 20; $i++)
		$x += $i;
	return $x;
}

function main()
{
	while (true)
		w0();
}

echo "ready\n";
main();
