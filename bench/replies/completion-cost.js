const { measureInTurns } = require('../against/turns.js');
const { costOf, sendInEachLane } = require('./reply-cost.js');
const { LANES, registerReaders, serverTarget, Stage } = require('./stage.js');

const CHUNKS = [100, 1_000];
const FIRST_REPLIES = 80;

/** Forms of a reply in OpenAI's API, by their names in the table. */
const FORMS = {
  'chat completion': (input) => ({
    path: '/openai/v1/chat/completions',
    body: { messages: [{ role: 'user', content: input }] },
  }),
  'stored response': (input) => ({ path: '/openai/v1/responses', body: { input } }),
};

/**
 * The CPU time per reply of a streamed completion in OpenAI's API, compared with the same reply as plain text. Both run
 * on the service, 8 at once, with each chunk in its own packet.
 */
module.exports = {
  title: 'CPU per completion',
  async measure({ rounds = 5, sample, ...options }) {
    const stage = await Stage.open(options);
    try {
      const rows = [];
      for (const service of stage.services) {
        for (const chunks of CHUNKS) {
          const costs = await compare(service, { chunks, rounds, sample });
          const figure = `CPU per chat completion of ${chunks} chunks, against plain text (${service.name})`;
          rows.push({ figure, unit: 'ms', ...costs, most: 1.1 });
        }
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
  against: {
    seed: registerReaders,
    measureRound: (round) =>
      measureInTurns(
        Object.keys(FORMS).flatMap((form) => CHUNKS.map((chunks) => taskOf(form, chunks))),
        round,
      ),
  },
};

function taskOf(form, chunks) {
  return {
    figure: `CPU per ${form} of ${chunks} chunks`,
    unit: 'ms',
    scale: 1,
    atOnce: LANES,
    warmUp: FIRST_REPLIES,
    async prepare(server, people) {
      const target = serverTarget('completion', server, people);
      const requestFor = await wayOf(form).prepare(target);
      return (times) => sendInEachLane(target, times / LANES, (lane) => requestFor(lane, { chunks, separate: true }));
    },
  };
}

const PLAIN_TEXT = {
  async prepare(target, repliesPerLane) {
    await target.prepare(repliesPerLane);
    return (lane, script, reply) => target.requestFor(lane, script, reply);
  },
};

function wayOf(form) {
  return {
    prepare: ({ server, people }) =>
      Promise.resolve((lane, script) => {
        const { path, body } = FORMS[form](JSON.stringify(script));
        const headers = { authorization: `Bearer ${people[lane].token}` };
        return { port: server.port, method: 'POST', path, headers, body: { model: '1', ...body, stream: true } };
      }),
  };
}

const COMPLETION = wayOf('chat completion');

/**
 * @returns {Promise<{ service: number[], reference: number[] }>} milliseconds of CPU per reply, one value for each
 * round
 */
async function compare(target, { chunks, rounds, sample }) {
  const costs = { service: [], reference: [] };
  const ways = { service: COMPLETION, reference: PLAIN_TEXT };
  await costOf(target, COMPLETION, chunks, FIRST_REPLIES);
  const replies = sample / (await costOf(target, PLAIN_TEXT, chunks, FIRST_REPLIES));
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
      costs[kind].push(await costOf(target, ways[kind], chunks, replies));
    }
  }
  return costs;
}
