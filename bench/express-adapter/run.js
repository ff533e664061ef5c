// Nest's Express adapter against FastExpressAdapter; see README.md.
// `npm run build && node bench/express-adapter/run.js`
const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { Pool } = require('undici');

const ROUNDS = 4;
const ROUND_MILLISECONDS = 3_000;
const WARM_UP_MILLISECONDS = 2_000;
const CONNECTIONS = 16;
const PIPELINING = 8;

const adapterFile = path.resolve(
  process.argv[2] ?? path.join(__dirname, '../../dist/common/http/fast-express.adapter.js'),
);

async function startServer(kind) {
  const child = fork(path.join(__dirname, 'server.js'), [kind, adapterFile]);
  const [{ port }] = await once(child, 'message');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: PIPELINING });
  return { kind, child, pool, rates: [], costs: [] };
}

/** Keeps a fixed number of requests in flight for some time. Resolves with the number of responses. */
async function load(pool, milliseconds) {
  const end = performance.now() + milliseconds;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < end) {
      const { statusCode, body } = await pool.request({ path: '/hello', method: 'GET' });
      await body.dump();
      if (statusCode !== 200) {
        throw new Error(`status ${statusCode}`);
      }
      answered++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS * PIPELINING }, lane));
  return answered;
}

async function cpuMicroseconds(child) {
  const answer = once(child, 'message');
  child.send('cpu');
  return (await answer)[0].cpuMicroseconds;
}

async function measure(server) {
  const cpuBefore = await cpuMicroseconds(server.child);
  const started = performance.now();
  const answered = await load(server.pool, ROUND_MILLISECONDS);
  const seconds = (performance.now() - started) / 1000;
  server.rates.push(answered / seconds);
  server.costs.push(((await cpuMicroseconds(server.child)) - cpuBefore) / answered);
}

function median(values) {
  const sorted = values.toSorted((first, second) => first - second);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - (Number.isInteger(middle) ? 1 : 0)]) / 2;
}

async function main() {
  const servers = [await startServer('plain'), await startServer('fast')];
  for (const { pool } of servers) {
    await load(pool, WARM_UP_MILLISECONDS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) {
      await measure(server);
    }
  }
  for (const { kind, child, pool, rates, costs } of servers) {
    const each = rates.map((rate) => Math.round(rate)).join(', ');
    console.log(
      `${kind.padEnd(5)} ${Math.round(median(rates))} requests/s (rounds: ${each}), ${median(costs).toFixed(1)} µs CPU each (${costs.map((cost) => cost.toFixed(1)).join(', ')})`,
    );
    await pool.close();
    child.disconnect();
  }
}

void main();
