const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { exchange } = require('../support/client.js');
const { cpuMillisecondsOf, OwnProcess } = require('../support/own-process.js');
const { Service } = require('../support/service.js');
const { startRedisServer } = require('../../test/support/servers/redis-server.ts');

const LANES = 8;
const CHATS = 20;
/** CPU time of one sample: two hundred ticks of the kernel's clock. */
const SAMPLE_MILLISECONDS = 2_000;
const WARM_UP_REQUESTS = 4_000;
const CONTENT = JSON.stringify({ chunks: 10 });

/** `index` counts the requests of a sample. Writers begin each sample with a new conversation. */
const ROUTES = {
  'GET /chat?limit=20': (reader) => ({ path: '/chat?limit=20', token: reader.token }),
  'GET /auth/me': (reader) => ({ path: '/auth/me', token: reader.token }),
  'POST /chat/message, 10 chunks streamed': (_reader, writer) => ({
    method: 'POST',
    path: '/chat/message?stream=true',
    token: writer.token,
    body: { chat_id: writer.chatId, content: CONTENT },
  }),
};
const [LIST, ME, MESSAGE] = Object.values(ROUTES);
ROUTES['All three in turns'] = (reader, writer, index) => [LIST, ME, MESSAGE][index % 3](reader, writer);

/**
 * What a request costs in all: the CPU time of the instances, MariaDB and Redis. Two instances get each second request; the
 * reference is the same load on one of them while the other one rests.
 */
module.exports = {
  title: 'CPU per request of two instances',
  async measure({ rounds = 5, ...options }) {
    const { process: model, port: modelPort } = await OwnProcess.start([
      path.join(__dirname, '../replies/upstream.js'),
    ]);
    const redis = await startRedisServer();
    const environment = { REDIS_URL: redis.url };
    const service = await Service.start('MariaDB', { ...options, modelPort, environment });
    const second = await service.startAnother();
    try {
      const ports = [service.port, second.port];
      const shared = [service.mariadb.url, redis.url].map(serverAt);
      const one = { ports: ports.slice(0, 1), processes: [service.process.pid, ...shared] };
      const two = { ports, processes: [service.process.pid, second.process.pid, ...shared] };
      return await measureService(service, { one, two }, rounds);
    } finally {
      await second.process.end();
      await service.close();
      await redis.stop();
      await model.end();
    }
  },
};

async function measureService(service, loads, rounds) {
  const readers = await inEachLane((lane) => service.register(`reader${lane}`));
  const writers = await inEachLane((lane) => service.register(`writer${lane}`));
  await inEachLane(async (lane) => {
    for (let chat = 0; chat < CHATS; chat++) {
      await service.createChat(readers[lane]);
    }
  });
  const people = { readers, writers };
  const rows = [];
  for (const [name, route] of Object.entries(ROUTES)) {
    const cost = await costOf(service, loads.two, route, people, WARM_UP_REQUESTS);
    const requests = Math.ceil(SAMPLE_MILLISECONDS / cost);
    const costs = { one: [], two: [] };
    for (let round = 0; round < rounds; round++) {
      for (const kind of round % 2 === 0 ? ['one', 'two'] : ['two', 'one']) {
        costs[kind].push((await costOf(service, loads[kind], route, people, requests)) * 1_000);
      }
    }
    rows.push({ figure: `Two instances, ${name}`, unit: 'µs', service: costs.two, reference: costs.one, most: 1.1 });
  }
  return rows;
}

/** @returns {Promise<number>} milliseconds of CPU for each request */
async function costOf(service, { ports, processes }, route, { readers, writers }, requests) {
  await inEachLane(async (lane) => (writers[lane].chatId = await service.createChat(writers[lane])));
  const spent = () => processes.reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0);
  const before = spent();
  let sent = 0;
  await inEachLane(async (lane) => {
    while (sent < requests) {
      const index = sent++;
      const { token, path: routePath, ...request } = route(readers[lane], writers[lane], index);
      const headers = { authorization: `Bearer ${token}` };
      const port = ports[index % ports.length];
      const target = { ...request, port, path: `/api/v1${routePath}`, headers };
      const { status } = await exchange(service.agent, target, () => undefined);
      if (status > 299) {
        throw new Error(`${routePath} answered ${status}.`);
      }
    }
  });
  return (spent() - before) / requests;
}

/** The process of a test server: the one whose command line, which Redis writes anew, names the port of this address. */
function serverAt(url) {
  const { port } = new URL(url);
  const isServer = (pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\S*(mariadbd|redis-server)/.test(command) && new RegExp(`[:=]${port}\\b`).test(command);
    } catch {
      // It has ended since.
      return false;
    }
  };
  const [pid] = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isServer(name));
  return Number(pid);
}

function inEachLane(task) {
  return Promise.all(Array.from({ length: LANES }, (_, lane) => task(lane)));
}
