-- resumed.lua - runs for ever in coroutines that are suspended and resumed, where
-- functions call each other as in grammar.lua: in Lua from 5.2 on, and as a task
-- of HAProxy.  One function a line.

local main, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, rec, leaf, less
local yield = core and core.yield or coroutine.yield

function leaf() local x = 0 for i = 1, 200 do x = x + i if i == 100 then coroutine.yield() end end return x end
function rec(n) if n > 0 then return 1 + rec(n - 1) end return 1 + leaf() end
function w9(x) for i = 1, 200 do x = x + i end coroutine.yield() return x end
function w8(...) rec(50) local x = w9(...) return x end
function w7(x) local _, y = pcall(w8, x) return y end
local thing = setmetatable({}, { __index = function(t, x) local y = w7(x) return y end }) -- w6
function w5(x) local y = thing[x] return y end
function w4(x) local f, y = coroutine.wrap(w5) repeat y = f(x) yield() until y ~= nil return y end
function w3(x) local y = w4(x) for i = 1, 200 do y = y + i end return y end
function less(a, b) local _, x = pcall(w3, a) yield() return x end
function w2(x) local y = less(x, 1) return y end
function w1(n) local x = 0 for i = 1, n do x = x + w2(i) end return x end
function w0() local x = w1(3) return x end
function main() while true do w0() yield() end end

io.stdout:write("ready\n")
io.stdout:flush()
if core then
	core.register_task(main)
else
	local resume = coroutine.wrap(main)
	while true do
		resume()
	end
end
