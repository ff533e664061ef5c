const path = require('node:path');
const { measureInTurns } = require('../against/turns.js');
const { exchange } = require('../support/client.js');
const { OwnProcess } = require('../support/own-process.js');
const { Reference } = require('../support/reference.js');
const { Service } = require('../support/service.js');

const LANES = 8;
const CHATS = 20;
const EXCHANGES = 25;
const SCRIPT = { chunks: 20 };
const WARM_UP_REQUESTS = 1_000;

/** Each lane reads as one user and writes as another, so that the data read does not change. */
const ROUTES = {
  'GET /chat?limit=20': { most: 1.3, request: () => ({ path: '/chat?limit=20' }) },
  'GET /chat/{id}, 50 messages': { most: 1.3, request: ({ chatId }) => ({ path: `/chat/${chatId}` }) },
  'GET /chat/{id}/messages': { most: 1.3, request: ({ chatId }) => ({ path: `/chat/${chatId}/messages` }) },
  'POST /chat': {
    most: 1.5,
    writes: true,
    request: () => ({ method: 'POST', path: '/chat', body: { title: 'A title' } }),
  },
  'PUT /chat/{id}': {
    most: 1.5,
    writes: true,
    request: ({ chatId }, index) => ({ method: 'PUT', path: `/chat/${chatId}`, body: { title: `Title ${index}` } }),
  },
  'GET /auth/me': { most: 1.5, mostOfList: 0.8, request: () => ({ path: '/auth/me' }) },
  'GET /chat/agents/active': { most: 1.5, mostOfList: 0.8, request: () => ({ path: '/chat/agents/active' }) },
  'GET /user/usage-stats': { most: 1.5, mostOfList: 0.8, request: () => ({ path: '/user/usage-stats' }) },
};

/**
 * The parts that differ between two responses to the same write: the id at the start, and the times before the agent.
 */
const NEW_VALUES = /^\{"id":\d+|"created_at":"[^"]+","updated_at":"[^"]+",(?="expires_at")/g;

const LIST = 'GET /chat?limit=20';

/** The CPU time per request of all threads, with 8 connections. Service and reference return the same bytes. */
module.exports = {
  title: 'CPU per request',
  async measure({ rounds = 5, routes, sample, ...options }) {
    const { process: model, port: modelPort } = await OwnProcess.start([
      path.join(__dirname, '../replies/upstream.js'),
    ]);
    const rows = [];
    for (const engine of options.engines) {
      const targets = await openTargets(engine, { ...options, modelPort });
      try {
        rows.push(...(await measureEngine(engine, targets, { rounds, routes, sample })));
      } finally {
        for (const { server } of Object.values(targets).toReversed()) {
          await server.close();
        }
      }
    }
    await model.end();
    return rows;
  },
  against: {
    seed,
    measureRound: (round) => measureInTurns(Object.entries(ROUTES).map(taskOf), round),
  },
};

function taskOf([name, route]) {
  return {
    figure: `CPU of ${name}`,
    unit: 'µs',
    scale: 1_000,
    atOnce: LANES,
    warmUp: WARM_UP_REQUESTS / 4,
    async prepare(server, people) {
      let sent = 0;
      return (requests) => sendRequests({ server, ...people }, route, { from: sent, to: (sent += requests) });
    },
  };
}

/** The service, and the reference with the same data. */
async function openTargets(engine, options) {
  const service = await Service.start(engine, options);
  const { readers, writers } = await seed(service);
  const reference = await Reference.start(service, [...readers, ...writers], options);
  const copies = (people) => people.map((person) => ({ ...person, ...reference.personOf(person) }));
  return {
    service: { server: service, readers, writers },
    reference: { server: reference, readers: copies(readers), writers: copies(writers) },
  };
}

/** A reader and a writer for each lane. */
async function seed(service) {
  const readers = await inEachLane((lane) => service.register(`reader${lane}`));
  const writers = await inEachLane((lane) => service.register(`writer${lane}`));
  await inEachLane((lane) => fill(service, readers[lane]));
  await inEachLane(async (lane) => (writers[lane].chatId = await service.createChat(writers[lane])));
  return { readers, writers };
}

/** Creates conversations for a user, one of them with 50 messages. */
async function fill(service, person) {
  for (let chat = 0; chat < CHATS; chat++) {
    person.chatId = await service.createChat(person);
  }
  const body = { chat_id: person.chatId, content: JSON.stringify(SCRIPT) };
  for (let exchange = 0; exchange < EXCHANGES; exchange++) {
    await service.request('POST', '/chat/message', { token: person.token, body });
  }
}

async function measureEngine(engine, targets, { rounds, routes: part, sample }) {
  await compareAnswers(targets);
  const routes = Object.entries(ROUTES).filter(([name]) => name === LIST || name.includes(part));
  const requests = {};
  for (const [name, route] of routes) {
    for (const [kind, target] of Object.entries(targets)) {
      const cost = await costOf(target, route, WARM_UP_REQUESTS);
      (requests[name] ??= {})[kind] = Math.ceil(sample / cost);
    }
  }
  const costs = Object.fromEntries(routes.map(([name]) => [name, { service: [], reference: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, route] of routes) {
      for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
        costs[name][kind].push((await costOf(targets[kind], route, requests[name][kind])) * 1_000);
      }
    }
  }
  return routes.flatMap(([name, route]) => rowsOf(`${name} (${engine})`, route, costs[name], costs[LIST].reference));
}

function rowsOf(name, { most, mostOfList }, { service, reference }, list) {
  const rows = [{ figure: `CPU of ${name}`, unit: 'µs', service, reference, most }];
  if (mostOfList) {
    rows.push({ figure: `${name}, against the list`, unit: 'µs', service, reference: list, most: mostOfList });
  }
  return rows;
}

/** @returns {Promise<number>} milliseconds of CPU per request */
async function costOf(target, route, requests) {
  const { process } = target.server;
  const before = process.cpuMilliseconds();
  await sendRequests(target, route, { from: 0, to: requests });
  return (process.cpuMilliseconds() - before) / requests;
}

function sendRequests(target, route, { from, to }) {
  let next = from;
  return inEachLane(async (lane) => {
    while (next < to) {
      const request = requestFor(target, route, lane, next++);
      const { status } = await exchange(target.server.agent, request, () => undefined);
      if (status > 299) {
        throw Object.assign(new Error(`${request.path} answered ${status}.`), { status });
      }
    }
  });
}

function requestFor({ server, readers, writers }, route, lane, index) {
  const person = (route.writes ? writers : readers)[lane];
  const { path: routePath, ...request } = route.request(person, index);
  const headers = { authorization: `Bearer ${person.token}` };
  return { ...request, port: server.port, path: `/api/v1${routePath}`, headers };
}

/** @throws Error unless service and reference return the same bytes; only writes create new ids and times */
async function compareAnswers({ service, reference }) {
  for (const [name, route] of Object.entries(ROUTES)) {
    for (let lane = 0; lane < LANES; lane++) {
      const answers = [];
      for (const target of [service, reference]) {
        let text = '';
        await exchange(target.server.agent, requestFor(target, route, lane, 0), (piece) => (text += piece));
        answers.push(route.writes ? text.replace(NEW_VALUES, '') : text);
      }
      if (answers[0] !== answers[1]) {
        throw new Error(`${name}: the service answers\n${answers[0]}\nand the reference\n${answers[1]}`);
      }
    }
  }
}

function inEachLane(task) {
  return Promise.all(Array.from({ length: LANES }, (_, lane) => task(lane)));
}
