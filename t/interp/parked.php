<?php
// parked.php SHAPE FILE - waits in a function that was called in the way of
// SHAPE.  FILE gets the stack by debug_backtrace(): of each frame the function
// and the line where it is, root first.  Without arguments: prints the shapes.

function park()
{
	write_truth(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), __LINE__ + 2);
	file_put_contents("php://stdout", "ready\n");
	sleep(1000);
}

// debug_backtrace() has with each function where its caller is.
function write_truth($trace, $line)
{
	$at = __FILE__ . ":$line";
	$stack = ["sleep"];
	foreach ($trace as $f) {
		$name = preg_replace("/\\{closure.*\\}/", "{closure}", $f["function"]);
		if (isset($f["class"]))
			$name = explode("\0", $f["class"])[0] . "::" . $name;
		$is_file = in_array($name, ["include", "require_once", "eval"]);
		$stack[] = $at === null ? $name : ($is_file ? $at : "$name ($at)");
		$at = isset($f["file"]) ? $f["file"] . ":" . $f["line"] : null;
	}
	if ($at !== null)
		$stack[] = $at;
	file_put_contents($GLOBALS["argv"][2], str_replace("'", "", implode(";", array_reverse($stack))) . "\n");
}

function temporary($code)
{
	$file = $GLOBALS["argv"][2] . ".inc.php";
	file_put_contents($file, "<?php\n\n" . $code);
	return $file;
}

class Thing implements ArrayAccess, IteratorAggregate
{
	public $end = false;
	function __get($name) { park(); }
	function __toString() { park(); return ""; }
	function __call($name, $args) {
		park();
	}
	static function __callStatic($name, $args) { return self::deep(); }
	static function deep() { park(); }
	function __invoke($x) { park(); }
	#[\ReturnTypeWillChange]
	function offsetGet($x) { park(); }
	#[\ReturnTypeWillChange]
	function offsetSet($x, $y) { }
	#[\ReturnTypeWillChange]
	function offsetExists($x) { return true; }
	#[\ReturnTypeWillChange]
	function offsetUnset($x) { }
	#[\ReturnTypeWillChange]
	function getIterator() {
		yield 1;
		park();
	}
	function __destruct() { if ($this->end) park(); }
	function closure() { return function () { park(); }; }
	static function fixed() {
		return static function ($x) {
			park();
		};
	}
}

class Stream
{
	public $context;
	function stream_open($path, $mode, $options, &$opened) { park(); return true; }
}

function generate()
{
	yield 1;
	park();
	yield 2;
}

function delegate()
{
	yield 0;
	yield from
		generate();
}

function delegate_again()
{
	yield from [1, 2];
	yield from delegate();
	yield 3;
}

function consume($generator)
{
	foreach ($generator as $x)
		;
}

function recurse($n)
{
	if ($n == 0)
		return park();
	return recurse($n - 1);
}

function in_fiber($f)
{
	$fiber = new Fiber($f);
	$fiber->start();
	$fiber->resume();
}

$shapes = [
	"call" => function () { park(); },
	"usort" => function () { $a = [2, 1]; usort($a, "park_by_name"); },
	"map" => function () { array_map(function ($x) { park(); }, [1]); },
	"internal_by_internal" => function () { array_map("usort_it", [1]); },
	"user_func" => function () { call_user_func_array([new Thing, "absent"], [1]); },
	"static_call" => function () { Thing::absent(); },
	"regex" => function () { preg_replace_callback("/a/", new Thing, "banana"); },
	"get" => function () { return (new Thing)->absent; },
	"string" => function () { return "x" . new Thing; },
	"array_access" => function () { $t = new Thing; return $t[1]; },
	"iterator" => function () { foreach (new Thing as $x); },
	"closure" => function () { ((new Thing)->closure())(); },
	"static_closure" => function () { array_walk($GLOBALS["argv"], Thing::fixed()); },
	"reflection" => function () { (new ReflectionMethod("Thing", "deep"))->invoke(null); },
	"anonymous_class" => function () { (new class { function m() { park(); } })->m(); },
	"destructor" => function () { $t = new Thing; $t->end = true; $t = null; },
	"generator" => function () { consume(generate()); },
	"yield_from" => function () { consume(delegate()); },
	"yield_from_twice" => function () { consume(delegate_again()); },
	"send" => function () { $g = delegate(); $g->send(1); $g->next(); },
	"include" => function () { include temporary("function f()\n{\n\tpark();\n}\nf();\n"); },
	"include_in_include" => function () {
		include temporary('if (!isset($again)) { $again = 1;
			include __FILE__; } else
			park();');
	},
	"require_once" => function () { require_once temporary("park();"); },
	"eval" => function () {
		eval("\n\npark();");
	},
	"eval_function" => function () { eval('function g() { eval("park();"); }'); g(); },
	"autoload" => function () {
		spl_autoload_register(function ($class) { park(); });
		new Absent;
	},
	"error_handler" => function () {
		set_error_handler(function () { park(); });
		return $absent;
	},
	"finally" => function () {
		try {
			throw new Exception;
		} catch (Exception $e) {
			try {
				return 1;
			} finally {
				park();
			}
		}
	},
	"shutdown" => function () { register_shutdown_function("recurse", 3); exit; },
	"stream" => function () { stream_wrapper_register("park", "Stream"); fopen("park://x", "r"); },
	"output" => function () { ob_start(function ($x) { recurse(1); return ""; }); echo 1; ob_end_flush(); },
	"recursion" => function () { recurse(150); },
	"pages" => function () { recurse(3500); },
	"namespace" => function () { eval('namespace A\B; function f() { array_map(function () { park(); }, [1]); } f();'); },
];
if (class_exists("Fiber")) {
	$shapes["fiber"] = function () { in_fiber(function () { Fiber::suspend(1); park(); }); };
	$shapes["fiber_in_fiber"] = function () {
		in_fiber(function () {
			in_fiber(function () { Fiber::suspend(); recurse(5); });
		});
	};
	$shapes["generator_in_fiber"] = function () { in_fiber(function () { consume(delegate_again()); }); };
	$shapes["fiber_in_generator"] = function () {
		consume((function () { yield 1; in_fiber("park"); })());
	};
}

function usort_it($x)
{
	$a = [2, 1];
	usort($a, "park_by_name");
}

function park_by_name($a, $b)
{
	park();
	return 0;
}

if ($argc > 1)
	$shapes[$argv[1]]();
else
	echo implode("\n", array_keys($shapes)), "\n";
