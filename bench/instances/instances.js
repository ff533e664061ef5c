const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { exchange } = require('../support/client.js');
const { cpuMillisecondsOf, OwnProcess } = require('../support/own-process.js');
const { Reference } = require('../support/reference.js');
const { Service } = require('../support/service.js');
const { startRedisServer } = require('../../test/support/servers/redis-server.ts');

/** Connections to each instance. */
const LANES = 8;
const CHATS = 20;
/** CPU time of one sample: two hundred ticks of the kernel's clock. */
const SAMPLE_MILLISECONDS = 2_000;
const WARM_UP_REQUESTS = 12_000;
const CONTENT = JSON.stringify({ chunks: 10 });

/** `index` counts the requests of a sample. Writers start each sample with a new conversation. */
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
 * The total cost of a request when two instances share MariaDB and Redis, compared with one instance: the CPU time of
 * the instances, MariaDB and Redis. Each instance has eight connections. Two processes of the hand-written server,
 * which does not use Redis, show the overhead of any two servers that share the cores and a database.
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
    try {
      const people = await registerPeople(service);
      const reference = await Reference.start(service, [...people.readers, ...people.writers], {
        modelPort,
        ...options,
      });
      try {
        const [database, cache] = [service.mariadb.url, redis.url].map(serverAt);
        return [
          ...(await measurePair('Two instances', service, [database, cache], people, rounds)),
          ...(await measurePair('Two hand-written servers', reference, [database], copies(people, reference), rounds)),
        ].map((row) => (row.figure.startsWith('Two instances') ? { ...row, most: 1.1 } : row));
      } finally {
        await reference.close();
      }
    } finally {
      await service.close();
      await redis.stop();
      await model.end();
    }
  },
};

/** A reader and a writer for each connection. */
async function registerPeople(service) {
  const readers = await inEachLane(2, (lane) => service.register(`reader${lane}`));
  const writers = await inEachLane(2, (lane) => service.register(`writer${lane}`));
  await inEachLane(2, async (lane) => {
    for (let chat = 0; chat < CHATS; chat++) {
      await service.createChat(readers[lane]);
    }
  });
  return { readers, writers };
}

function copies({ readers, writers }, reference) {
  const copy = (person) => ({ ...person, ...reference.personOf(person) });
  return { readers: readers.map(copy), writers: writers.map(copy) };
}

/** @param {number[]} shared processes that count for either instance */
async function measurePair(title, server, shared, people, rounds) {
  const second = await server.startAnother();
  try {
    const one = { server, ports: [server.port], processes: [server.process.pid, ...shared], people };
    const two = {
      ...one,
      ports: [server.port, second.port],
      processes: [second.process.pid, ...one.processes],
    };
    const rows = [];
    for (const [name, route] of Object.entries(ROUTES)) {
      const cost = await costOf(two, route, WARM_UP_REQUESTS);
      const requests = Math.ceil(SAMPLE_MILLISECONDS / cost);
      const costs = { one: [], two: [] };
      for (let round = 0; round < rounds; round++) {
        for (const [kind, load] of round % 2 === 0
          ? [
              ['one', one],
              ['two', two],
            ]
          : [
              ['two', two],
              ['one', one],
            ]) {
          costs[kind].push((await costOf(load, route, requests)) * 1_000);
        }
      }
      rows.push({ figure: `${title}, ${name}`, unit: 'µs', service: costs.two, reference: costs.one });
    }
    return rows;
  } finally {
    await second.process.end();
  }
}

/** @returns {Promise<number>} milliseconds of CPU per request */
async function costOf({ server, ports, processes, people: { readers, writers } }, route, requests) {
  await inEachLane(2, async (lane) => (writers[lane].chatId = await server.createChat(writers[lane])));
  const spent = () => processes.reduce((sum, pid) => sum + cpuMillisecondsOf(pid), 0);
  const before = spent();
  let sent = 0;
  await inEachLane(ports.length, async (lane) => {
    const port = ports[lane % ports.length];
    while (sent < requests) {
      const { token, path: routePath, ...request } = route(readers[lane], writers[lane], sent++);
      const headers = { authorization: `Bearer ${token}` };
      const target = { ...request, port, path: `/api/v1${routePath}`, headers };
      const { status } = await exchange(server.agent, target, () => undefined);
      if (status > 299) {
        throw new Error(`${routePath} answered ${status}.`);
      }
    }
  });
  return (spent() - before) / requests;
}

/** The process of a test server: its command line, which Redis rewrites, contains the port of this address. */
function serverAt(url) {
  const { port } = new URL(url);
  const isServer = (pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\S*(mariadbd|redis-server)/.test(command) && new RegExp(`[:=]${port}\\b`).test(command);
    } catch {
      // The process has exited since.
      return false;
    }
  };
  const [pid] = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isServer(name));
  return Number(pid);
}

function inEachLane(instances, task) {
  return Promise.all(Array.from({ length: LANES * instances }, (_, lane) => task(lane)));
}
