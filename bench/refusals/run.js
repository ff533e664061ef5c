// Measures the cost of refused requests, compared with a small accepted one; see README.md.
// `npm run build && node bench/refusals/run.js`
const { connect } = require('node:net');
const path = require('node:path');
const { brotliCompressSync } = require('node:zlib');
const { Service } = require('../support/service.js');

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REQUESTS = 300;

const members = (count) => `{${Array.from({ length: count }, (_value, index) => `"m${index}":0`).join()}}`;
const zeros = (count) => `[${'0,'.repeat(count)}0]`;

/** Requests by name. The accepted one comes first. */
function requestsOf(user) {
  const mine = `Authorization: Bearer ${user.token}\r\n`;
  const small = (headers, body, status, extra = '') => post('/auth/login', headers + extra, body, status);
  return {
    'accepted, small': post('/chat', mine, '{"title":"Bench"}', 201),
    'brotli, 1 MB of [': small('Content-Encoding: br\r\n', brotliCompressSync('['.repeat(1_000_000)), 415),
    'another charset': post('/auth/login', '', '{"email":"a"}', 415, 'application/json; charset=utf-16'),
    'too large, announced': small('', Buffer.alloc(100_000, 'x'), 413),
    'too large, 1 MB on a large route': post('/chat/message', mine, Buffer.alloc(1_100_000, 'x'), 413),
    '16,000 levels': small('', '['.repeat(16_000), 422),
    '1,000,000 levels on a large route': post('/chat/message', mine, '['.repeat(1_000_000), 422),
    '1,700 members': small('', members(1_700), 422),
    '90,000 members on a large route': post('/chat/message', mine, members(90_000), 422),
    '8,000 values in a field': small('', `{"email":${zeros(8_000)},"password":"x"}`, 422),
    '20,000 values in a field of a large route': post('/chat/message', mine, `{"content":${zeros(19_998)}}`, 422),
    '20,001 values there': post('/chat/message', mine, `{"content":${zeros(20_000)}}`, 422),
    'broken JSON, 16 KB': small('', `{"email":"${'x'.repeat(16_000)}`, 400),
    'bad token, 1 MB': post('/chat/message', 'Authorization: Bearer x\r\n', Buffer.alloc(1_000_000, 'x'), 401),
  };
}

/** Requests of a caller who has exceeded the rate limit. */
function limitedRequests() {
  return {
    '429, small': post('/auth/login', '', '{"email":"a"}', 429),
    '429, 1 MB': post('/auth/login', '', Buffer.alloc(1_000_000, 'x'), 429),
    '429, brotli': post('/auth/login', 'Content-Encoding: br\r\n', brotliCompressSync('['.repeat(1_000_000)), 429),
  };
}

function post(route, headers, body, status, type = 'application/json') {
  const head =
    `POST /api/v1${route} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head), Buffer.from(body)]), status };
}

/** Each request has its own connection, because the service closes it after some refusals. */
function send(port, { bytes, status }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.once('data', (data) => {
      const answered = Number(String(data.subarray(9, 12)));
      socket.destroy();
      if (answered === status) {
        resolve();
      } else {
        reject(new Error(`${answered} instead of ${status}: ${data}`));
      }
    });
    socket.once('error', reject);
  });
}

/** CPU time of the service per request, in microseconds. */
async function costOf(service, request) {
  const before = (await service.metrics()).process_cpu_seconds_total;
  for (let count = 0; count < REQUESTS; count++) {
    await send(service.port, request);
  }
  return (((await service.metrics()).process_cpu_seconds_total - before) / REQUESTS) * 1e6;
}

async function measure(service, requests, results) {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, request] of Object.entries(requests)) {
      const cost = await costOf(service, request);
      // The first round warms up the compiler.
      if (round > 0) {
        (results[name] ??= []).push(cost);
      }
    }
  }
}

async function main() {
  const options = { modelPort: 9, folder: path.resolve(process.env.DIST ?? path.join(__dirname, '../../dist')) };
  const results = {};
  const service = await Service.start('SQLite', options);
  const user = await service.register('bench');
  await measure(service, requestsOf(user), results);
  await service.close();
  const limited = await Service.start('SQLite', { ...options, environment: { RATE_LIMIT_AUTH: '1' } });
  await send(limited.port, { ...limitedRequests()['429, small'], status: 422 });
  await measure(limited, limitedRequests(), results);
  await limited.close();
  const [accepted] = Object.values(results).map((costs) => Math.min(...costs));
  for (const [name, costs] of Object.entries(results)) {
    const cost = Math.min(...costs);
    console.log(`${name.padEnd(44)}${cost.toFixed(0).padStart(7)} µs${(cost / accepted).toFixed(2).padStart(7)}`);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
