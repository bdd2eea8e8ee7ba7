-- prog.lua - work of three kinds.
local function fib(n)
	return n < 2 and n or fib(n - 1) + fib(n - 2)
end

local function sorted(n)
	local a = {}
	for i = 1, n do
		a[i] = i * 7919 % n
	end
	table.sort(a, function(x, y)
		return x < y
	end)
	return a[n / 2]
end

local function words(n)
	local seen = {}
	for i = 1, n do
		local word = ("w"):rep(i % 50) .. i % 1000
		seen[word] = (seen[word] or 0) + i
	end
	return #seen
end

print(fib(35), sorted(300000), words(1000000))
