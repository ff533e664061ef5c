const { measureInTurns } = require('../against/turns.js');
const { call } = require('../support/client.js');
const { LANES, messageRequest, readReply, registerReaders, serverTarget, Stage } = require('./stage.js');

/** Messages of a long conversation: the maximum that the model receives. */
const LONG = 200;
const CHUNKS = [100, 1_000];
const FIRST_REPLIES = 80;
/** A complete long conversation fits into the prompt. */
const ENVIRONMENT = { LLM_CONTEXT_TOKENS: '1000000' };

/**
 * The CPU time per streamed reply of all threads, 8 replies at once, each chunk in its own packet. It is measured in
 * short conversations of up to 10 exchanges, and in long ones whose history is sent to the model with each message.
 */
module.exports = {
  title: 'CPU per reply',
  costOf,
  sendInEachLane,
  async measure({ rounds = 5, sample, ...options }) {
    const stage = await Stage.open({ ...options, environment: ENVIRONMENT });
    try {
      const rows = [];
      for (const pair of stage.pairs) {
        await comparePrompts(stage, pair);
        for (const way of [SHORT_CONVERSATIONS, LONG_CONVERSATIONS]) {
          for (const chunks of CHUNKS) {
            const costs = await measureWay(pair, { way, chunks, rounds, sample });
            const figure = `CPU per reply of ${chunks} chunks, ${way.name} (${pair.service.name})`;
            rows.push({ figure, unit: 'ms', ...costs, most: 1.5 });
          }
        }
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
  against: {
    environment: ENVIRONMENT,
    /** All rounds continue the same long conversations. The history that the model receives no longer grows. */
    async seed(service) {
      const people = await registerReaders(service);
      return { people, longChats: await createLongChats(serverTarget('seed', service, people)) };
    },
    measureRound: (round) => measureInTurns(TASKS, round),
  },
};

const SHORT_CONVERSATIONS = {
  name: 'short conversation',
  async prepare(target, repliesPerLane) {
    await target.prepare(repliesPerLane);
    return (lane, script, reply) => target.requestFor(lane, script, reply);
  },
};

/** New conversations for each sample, so that all samples start with the same history. */
const LONG_CONVERSATIONS = {
  name: `conversation of ${LONG} messages`,
  async prepare(target) {
    return requestsIn(target, await createLongChats(target));
  },
};

async function createLongChats(target) {
  const chats = await inEachLane((lane) => target.server.createChat(target.people[lane]));
  const requestFor = requestsIn(target, chats);
  await sendInEachLane(target, LONG / 2, (lane) => requestFor(lane, { chunks: CHUNKS[0] }));
  return chats;
}

function requestsIn({ server, people }, chats) {
  return (lane, script) => messageRequest(server, people[lane], chats[lane], script);
}

const TASKS = [SHORT_CONVERSATIONS, LONG_CONVERSATIONS].flatMap((way) => CHUNKS.map((chunks) => taskOf(way, chunks)));

function taskOf(way, chunks) {
  return {
    figure: `CPU per reply of ${chunks} chunks, ${way.name}`,
    unit: 'ms',
    scale: 1,
    atOnce: LANES,
    warmUp: FIRST_REPLIES,
    prepare: async (server, { people, longChats }, replies) => {
      const target = serverTarget(way.name, server, people);
      const requestFor =
        way === LONG_CONVERSATIONS ? requestsIn(target, longChats) : await way.prepare(target, replies / LANES);
      let sent = 0;
      return async (times) => {
        const first = sent;
        sent += times / LANES;
        const script = { chunks, separate: true };
        await sendInEachLane(target, times / LANES, (lane, reply) => requestFor(lane, script, first + reply));
      };
    },
  };
}

/** @throws Error unless service and reference send the model the same messages */
async function comparePrompts(stage, pair) {
  const prompts = [];
  for (const target of [pair.service, pair.reference]) {
    const requestFor = await LONG_CONVERSATIONS.prepare(target);
    await readReply(target, requestFor(0, { chunks: 1 }));
    prompts.push(JSON.stringify(await call(stage.model.agent, { port: stage.modelPort, path: '/messages' })));
  }
  if (prompts[0] !== prompts[1]) {
    throw new Error(`Service and reference tell the model different things:\n${prompts.join('\n')}`);
  }
}

/**
 * @returns {Promise<{ service: number[], reference: number[] }>} milliseconds of CPU per reply, one value for each
 * round
 */
async function measureWay(pair, { way, chunks, rounds, sample }) {
  const costs = { service: [], reference: [] };
  // The same number of replies for both, so that their histories grow equally.
  const replies = sample / (await costOf(pair.service, way, chunks, FIRST_REPLIES));
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
      costs[kind].push(await costOf(pair[kind], way, chunks, replies));
    }
  }
  return costs;
}

async function costOf(target, way, chunks, replies) {
  const repliesPerLane = Math.ceil(replies / LANES);
  const requestFor = await way.prepare(target, repliesPerLane);
  const before = target.process.cpuMilliseconds();
  await sendInEachLane(target, repliesPerLane, (lane, reply) => requestFor(lane, { chunks, separate: true }, reply));
  return (target.process.cpuMilliseconds() - before) / (repliesPerLane * LANES);
}

function sendInEachLane(target, replies, requestFor) {
  return inEachLane(async (lane) => {
    for (let reply = 0; reply < replies; reply++) {
      await readReply(target, requestFor(lane, reply));
    }
  });
}

function inEachLane(task) {
  return Promise.all(Array.from({ length: LANES }, (_, lane) => task(lane)));
}
