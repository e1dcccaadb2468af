-- Sends prepared deliveries, each with a GUID of its own; prints one JSON line at the end.
local deliveries, count = {}, 0

function init(args)
   for name in string.gmatch(args[1], "[^,]+") do
      local file = assert(io.open(name, "rb"))
      local signature = file:read("*l")
      deliveries[#deliveries + 1] = { signature, file:read("*a") }
      file:close()
   end
   run = tonumber(args[2])
end

function request()
   count = count + 1
   local delivery = deliveries[count % #deliveries + 1]
   return wrk.format("POST", nil, {
      ["Content-Type"] = "application/json",
      ["User-Agent"] = "GitHub-Hookshot/benchmark",
      ["X-GitHub-Event"] = "pull_request",
      ["X-GitHub-Delivery"] = string.format("%08x-0000-4000-8000-%012x", run, count),
      ["X-Hub-Signature-256"] = delivery[1],
   }, delivery[2])
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\nRESULT {"seconds": %f, "requests": %d, "bad": %d, "p50": %f, "p99": %f}\n',
      summary.duration / 1e6, summary.requests,
      errors.connect + errors.read + errors.write + errors.status + errors.timeout,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3
   ))
end
