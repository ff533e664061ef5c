const { Agent, request } = require('undici');

/**
 * Calls one route at a steady rate, regardless of response times, and sends its parent the latencies of each period.
 */
const [url, token, rate] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 8 });
let latencies = [];

async function call() {
  const begin = performance.now();
  const { statusCode, body } = await request(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  latencies.push(performance.now() - begin);
}

// Timers are too coarse for hundreds of calls per second, so each tick sends all calls that are due.
let made = 0;
const start = performance.now();
setInterval(() => {
  for (; made < ((performance.now() - start) * Number(rate)) / 1_000; made++) void call();
}, 2);
process.on('message', () => {
  const sorted = latencies.sort((a, b) => a - b);
  latencies = [];
  process.send({
    count: sorted.length,
    p50: sorted[Math.floor(sorted.length / 2)],
    p95: sorted[Math.floor(sorted.length * 0.95)],
  });
});
process.on('disconnect', () => process.exit());
