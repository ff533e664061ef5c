const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { exchange } = require('../support/client.js');
const { OwnProcess } = require('../support/own-process.js');
const { Service } = require('../support/service.js');

const LANES = 16;
/** Requests of a lane in one conversation before it creates the next. */
const REQUESTS_PER_CHAT = 60;
/** A password hash takes a quarter of a second of CPU and 64 MB, so logins are much rarer than messages. */
const LOGIN_MILLISECONDS = 2_000;

const message = (chatId, chunks) => ({
  method: 'POST',
  path: '/chat/message?stream=true',
  body: { chat_id: chatId, content: JSON.stringify({ chunks, separate: true }) },
});

/** Repeated in this order. */
const REQUESTS = [
  ({ chatId }) => message(chatId, 100),
  () => ({ path: '/chat?limit=20' }),
  ({ chatId }) => ({ path: `/chat/${chatId}` }),
  ({ chatId }) => ({ path: `/chat/${chatId}/messages?limit=50` }),
  ({ chatId }) => message(chatId, 20),
  () => ({ path: '/auth/me' }),
  () => ({ path: '/chat/agents/active' }),
  ({ chatId }, count) => ({ method: 'PUT', path: `/chat/${chatId}`, body: { title: `Title ${count}` } }),
  (_, count) => ({ path: `/chat?q=title%20${count % 100}` }),
  () => ({ path: '/user/usage-stats' }),
];

/** Resident memory in each second of five minutes. In this time, the users do as much as they usually do in an hour. */
module.exports = {
  title: 'Memory under load',
  async measure({ rounds: minutes = 5, ...options }) {
    const model = await OwnProcess.start([path.join(__dirname, '../replies/upstream.js')]);
    const rows = [];
    for (const engine of options.engines) {
      const service = await Service.start(engine, { ...options, modelPort: model.port });
      try {
        rows.push(...(await measureService(service, minutes * 60_000)));
      } finally {
        await service.close();
      }
    }
    await model.process.end();
    return rows;
  },
};

async function measureService(service, milliseconds) {
  const people = await Promise.all(Array.from({ length: LANES }, (_, lane) => service.register(`reader${lane}`)));
  const cpu = service.process.cpuMilliseconds();
  const load = { ends: Date.now() + milliseconds, requests: 0 };
  const samples = [];
  const lanes = [...people.map((person) => keepAsking(service, person, load)), keepLoggingIn(service, load)];
  while (Date.now() < load.ends) {
    await delay(1_000);
    samples.push(service.process.residentKibibytes() / 1_024);
  }
  await Promise.all(lanes);
  const [first, third] = [0, samples.length / 2].map((at) => Math.floor(at));
  const last = Math.floor((samples.length * 3) / 4);
  const row = (figure, unit, values, bounds) => ({
    figure: `${figure} (${service.engine})`,
    unit,
    service: values,
    ...bounds,
  });
  return [
    row('Memory under load, first second', 'MiB', [samples[first]]),
    row('Memory under load, second half', 'MiB', samples.slice(third), { limit: 300 }),
    row('the last quarter, against the third', 'MiB', samples.slice(last), {
      reference: samples.slice(third, last),
      most: 1.03,
    }),
    row('the highest', 'MiB', [Math.max(...samples)]),
    row('slope of the second half', 'MiB a minute', [slopePerSecond(samples.slice(third)) * 60]),
    row('requests a second', '', [(load.requests * 1_000) / milliseconds]),
    row('CPU each', 'ms', [(service.process.cpuMilliseconds() - cpu) / load.requests]),
  ];
}

async function keepAsking(service, person, load) {
  const headers = { authorization: `Bearer ${person.token}` };
  for (let count = 0, chatId; Date.now() < load.ends; count++) {
    if (count % REQUESTS_PER_CHAT === 0) {
      chatId = await service.createChat(person);
    }
    const { path: route, ...request } = REQUESTS[count % REQUESTS.length]({ chatId }, count);
    await ask(service, { ...request, path: `/api/v1${route}`, headers });
    load.requests++;
  }
}

async function keepLoggingIn(service, load) {
  while (Date.now() < load.ends) {
    await service.logIn('reader0');
    load.requests++;
    await delay(LOGIN_MILLISECONDS);
  }
}

/** @throws Error unless the response is complete */
async function ask({ agent, port }, request) {
  let end = '';
  const { status } = await exchange(agent, { ...request, port }, (piece) => (end = (end + piece).slice(-2_000)));
  const isComplete = !request.path.includes('stream=true') || end.includes('"status":"completed"');
  if (status < 200 || status > 299 || !isComplete) {
    throw new Error(`${request.method ?? 'GET'} ${request.path} answered ${status}: ${end}`);
  }
}

/** The slope of the regression line through the values. */
function slopePerSecond(values) {
  const middle = (values.length - 1) / 2;
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  const along = values.reduce((sum, value, index) => sum + (index - middle) * (value - average), 0);
  return along / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
