-- grammar.lua - runs for ever; which function may call which is known, so that a
-- stack that never was can be told.  w0 to w9 are each called by the one before,
-- in different ways; rec is 51 deep under leaf.  One function a line.

local w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, rec, leaf, less

function leaf() local x = 0 for i = 1, 20 do x = x + i end return x end
function rec(n) if n > 0 then return 1 + rec(n - 1) end return 1 + leaf() end
function w9(x) return x + 1 end
function w8(...) rec(50) local x = w9(...) return x end
function w7(x) local _, y = pcall(w8, x) return y end
local thing = setmetatable({}, { __index = function(t, x) local y = w7(x) return y end }) -- w6
function w5(x) local y = thing[x] return y end
function w4(x) local y = coroutine.wrap(w5)(x) return y end
function w3(x) local y = w4(#x) return tostring(y) end
function less(a, b) local x = ("abc"):gsub("b", w3) return a < b end
function w2(x) local a = { x, x + 1, x - 1 } table.sort(a, less) return a[1] end
function w1(n) local x = 0 for i = 1, n do x = x + w2(i) end return x end
function w0() local x = w1(3) return x end

io.stdout:write("ready\n")
io.stdout:flush()
while true do
	w0()
end
