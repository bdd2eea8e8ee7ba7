-- parked.lua SHAPE FILE FIFO - waits, to open FIFO, in a function that was
-- called in the way of SHAPE.  FILE gets the stack by debug.getinfo(): of each
-- function of Lua where it begins and the line where it is, root first.
-- Without arguments: prints the shapes.

local load = loadstring or load
local stacks = {}

-- Keep the stack of the coroutine that runs; the caller's line is the current
-- one.  In 5.1 a tail call has left a level without a function.
local function keep()
	local stack, level = {}, 2
	local info = debug.getinfo(level, "Sl")
	while info do
		local file = info.source:match("^[@=]?([^\n]*)")
		if info.what ~= "C" and info.what ~= "tail" then
			table.insert(stack, 1, file:match("[^/]*$") .. ":" ..
				info.linedefined .. " (" .. file .. ":" .. info.currentline .. ")")
		end
		level = level + 1
		info = debug.getinfo(level, "Sl")
	end
	table.insert(stacks, table.concat(stack, ";"))
end

local function write()
	local out = io.open(arg[2], "w")
	out:write((table.concat(stacks, ";"):gsub("['\"]", "")), "\n")
	out:close()
end

local function park()
	keep() write() io.open(arg[3])
end

local function resume(f, ...)
	local co = coroutine.create(f)
	keep() return co, coroutine.resume(co, ...)
end

local function recurse(n)
	if n == 0 then
		park()
	else
		recurse(n - 1)
	end
	return n
end

local thing = setmetatable({}, {
	__index = function() park() end,
	__add = function(a, b)
		park()
	end,
	__call = function() park() end,
	__tostring = function() park() return "" end,
	__lt = function() park() end,
	__concat = function() recurse(2) end,
})

local shapes = {
	call = function() park() end,
	sort = function() table.sort({ 3, 1, 2 }, function(a, b) park() return a < b end) end,
	protected = function() pcall(park) return 1 end,
	handled = function()
		xpcall(function() error("x") end, function() park() end)
	end,
	gsub = function() return (("abc"):gsub("b", function() park() end)) end,
	index = function() return thing.absent, 1 end,
	add = function() return thing + 1, 1 end,
	called = function() thing() return 1 end,
	tostring = function() return tostring(thing), 1 end,
	less = function() return thing < thing, 1 end,
	concat = function() return thing .. "x", 1 end,
	tail = function() return recurse(1) end,
	recursion = function() recurse(150) end,
	iterator = function()
		for x in function() park() end do
			print(x)
		end
	end,
	load = function() load("\n\nlocal park = ... park() return 1", "=loaded")(park) end,
	text = function() load("local park = ...\npark() return 1")(park) end,
	coroutine = function() resume(park) end,
	coroutines = function()
		resume(function()
			resume(function()
				recurse(3)
			end)
		end)
	end,
	wrapped = function()
		keep() coroutine.wrap(function() park() end)()
	end,
	sort_in_coroutine = function()
		resume(function()
			table.sort({ 2, 1 }, function() recurse(1) end)
		end)
	end,
	yielded = function()
		local co = coroutine.create(function()
			coroutine.yield()
			park()
		end)
		coroutine.resume(co)
		keep() coroutine.resume(co)
	end,
	long = function()
		load("local park = ... local x = 1" .. ("\n"):rep(300) ..
			"x = x + 1 park() return x", "=long")(park)
	end,
}

local has_ffi, ffi = pcall(require, "ffi")
if has_ffi then
	function shapes.callback()
		ffi.cast("void (*)(void)", function() park() end)()
	end
	function shapes.sort_in_callback()
		ffi.cast("void (*)(void)", function()
			table.sort({ 2, 1 }, function() recurse(1) end)
		end)()
	end
end

if arg[1] then
	shapes[arg[1]]()
else
	for name in pairs(shapes) do
		print(name)
	end
end
