const { call } = require('../support/client.js');
const { median, microseconds } = require('../support/numbers.js');
const { Service } = require('../support/service.js');
const { analyse, openForSeeding, seedHistory } = require('./seed.js');

const REQUESTS = 150;
const CHATS = 20;

/** The first one is the reference. It has as many conversations as a long history, each with 50 messages. */
const HISTORIES = {
  reference: { chats: CHATS, messagesPerChat: 50 },
  'in 20 conversations': { chats: CHATS, messagesPerChat: 50_000 },
  'in 20,000 conversations': { chats: 20_000, messagesPerChat: 50 },
};

const ROUTES = {
  'List of 20 conversations': () => '/chat?limit=20',
  'the same with 50 messages each': () => '/chat?limit=20&include_messages=true',
  '50 messages of a conversation': (chatId) => `/chat/${chatId}/messages?limit=50`,
  'Statistics of 30 days': () => '/user/usage-stats',
  'Statistics of all time': () => '/user/total-stats',
};

/**
 * The cost of reading for a user with 1,000,000 messages, compared with a user with 1,000, over HTTP with one request
 * at a time.
 */
module.exports = {
  title: 'Reading with 1,000,000 messages',
  async measure({ rounds = 5, ...options }) {
    const rows = [];
    for (const engine of options.engines) {
      const service = await Service.start(engine, { ...options, modelPort: 9 });
      try {
        const readers = await prepareReaders(service);
        rows.push(...(await measureService(service, readers, rounds)));
      } finally {
        await service.close();
      }
    }
    return rows;
  },
};

async function prepareReaders(service) {
  const people = new Map();
  for (const name of Object.keys(HISTORIES)) {
    people.set(name, await service.register(`reader${people.size}`));
  }
  const [{ id: agentId }] = await service.request('GET', '/chat/agents/active', {
    token: people.get('reference').token,
  });
  await service.process.end();
  const database = await openForSeeding(service);
  const readers = new Map();
  let firstId = 1_000_000;
  for (const [name, history] of Object.entries(HISTORIES)) {
    const { id: userId, token } = people.get(name);
    await seedHistory(database, { userId, agentId, firstId, ...history });
    readers.set(name, { token, chatId: firstId + CHATS - 1 });
    firstId += 2_000_000;
  }
  await analyse(database, service);
  await database.close();
  await service.startProcess();
  return readers;
}

async function measureService(service, readers, rounds) {
  const times = new Map([...readers.keys()].map((name) => [name, {}]));
  for (let round = 0; round <= rounds; round++) {
    for (const route of Object.keys(ROUTES)) {
      for (const [name, reader] of readers) {
        const time = await measureRoute(service, reader, ROUTES[route](reader.chatId));
        // The first round warms up the compiler and the caches.
        if (round > 0) {
          (times.get(name)[route] ??= []).push(time);
        }
      }
    }
  }
  const { reference, ...long } = Object.fromEntries(times);
  return Object.keys(ROUTES).flatMap((route) =>
    Object.entries(long).map(([name, rounds]) => ({
      figure: `${route}, of 1,000,000 messages ${name} (${service.engine})`,
      unit: 'µs',
      service: rounds[route],
      reference: reference[route],
      most: 1.1,
    })),
  );
}

/** The median time of a request, in microseconds. */
async function measureRoute(service, { token }, route) {
  const headers = { authorization: `Bearer ${token}` };
  const times = [];
  for (let request = 0; request < REQUESTS; request++) {
    const startedAt = microseconds();
    await call(service.agent, { port: service.port, path: `/api/v1${route}`, headers });
    times.push(microseconds() - startedAt);
  }
  return median(times);
}
