const { call } = require('../support/client.js');
const { LANES, messageRequest, readReply, Stage } = require('./stage.js');

/** Messages of a long conversation: as many as the model is told at most. */
const LONG = 200;
const CHUNKS = [100, 1_000];
const FIRST_REPLIES = 80;
/** Everything that is read from a long conversation fits into the prompt. */
const ENVIRONMENT = { LLM_CONTEXT_TOKENS: '1000000' };

/**
 * Streamed replies, each chunk in its own packet, 8 at once: the CPU time of the process, all threads, for one reply. In
 * short conversations of up to 10 exchanges, and in long ones, whose history goes to the model with each message.
 */
module.exports = {
  title: 'CPU per reply',
  costOf,
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
};

const SHORT_CONVERSATIONS = {
  name: 'short conversation',
  async prepare(target, repliesPerLane) {
    await target.prepare(repliesPerLane);
    return (lane, script, reply) => target.requestFor(lane, script, reply);
  },
};

/** New ones for each sample, so that all samples begin with the same history. */
const LONG_CONVERSATIONS = {
  name: `conversation of ${LONG} messages`,
  async prepare(target) {
    const chats = await inEachLane((lane) => target.server.createChat(target.people[lane]));
    const requestFor = (lane, script) => messageRequest(target.server, target.people[lane], chats[lane], script);
    await sendInEachLane(target, LONG / 2, (lane) => requestFor(lane, { chunks: CHUNKS[0] }));
    return requestFor;
  },
};

/** @throws Error unless service and reference tell the model the same */
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

/** @returns {Promise<{ service: number[], reference: number[] }>} milliseconds of CPU per reply, one value each round */
async function measureWay(pair, { way, chunks, rounds, sample }) {
  const costs = { service: [], reference: [] };
  // As many replies of both, so that the histories grow alike.
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
