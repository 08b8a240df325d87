-- For wrk: the path /orders/1-100 stands for /orders/1 to /orders/100, in turn.
local folder, first, last, next

function init()
    folder, first, last = wrk.path:match("^(.*/)(%d+)-(%d+)$")
    first, last = tonumber(first), tonumber(last)
    next = first
end

function request()
    local path = folder .. string.format("%d", next)
    next = next < last and next + 1 or first
    return wrk.format(nil, path)
end
