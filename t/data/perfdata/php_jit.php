<?php
// chains.php - PHP has no frame pointers: its chains end in whatever rbp points to.
function squares($n)
{
	$all = [];
	for ($i = 0; $i < $n; $i++)
		$all["k$i"] = ($i * $i) % 1009 - 1;
	return $all;
}

for ($r = 0; $r < 25; $r++) {
	$all = squares(2000);
	uasort($all, fn($a, $b) => $b <=> $a);
	$text = json_encode($all);
	preg_match_all('/"k(\d+)":(-?\d+)/', $text, $found);
	$sum = array_sum($found[2]) + strlen(serialize($all));
}
echo $sum, "\n";
