const { administratorOf, ENVIRONMENT, makeBudgets, POOL } = require('./budget-cost.js');
const { LANES, readReply, Stage } = require('./stage.js');

/** Concurrent requests, so that they have to wait for each other. */
const AT_ONCE = 32;
const SENDS = 600;
const SCRIPT = { chunks: 3, separate: false };

/** The same budget per user: as many statements, but a separate row for each of eight users. */
const APART = { ...POOL, each_user: true };

/**
 * Short replies, 32 at once, under a budget for the whole service, compared with one per user. With the shared budget,
 * each reply updates the same row twice. The figure is the average time between two completed replies in milliseconds.
 * Five milliseconds mean 200 replies per second.
 */
module.exports = {
  title: 'Replies in a crowd under one budget',
  async measure({ rounds = 5, ...options }) {
    const stage = await Stage.open({ ...options, environment: ENVIRONMENT });
    try {
      const rows = [];
      for (const service of stage.services) {
        const times = await compare(service, rounds);
        rows.push({
          figure: `time for each of ${AT_ONCE} at once (${service.name})`,
          unit: 'ms',
          ...times,
          most: 1.15,
        });
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
};

/** @returns {Promise<{ service: number[], reference: number[] }>} */
async function compare(target, rounds) {
  const ask = await administratorOf(target.server);
  await ask('POST', '/admin/prices', { model: 'bench', input: '1', output: '2' });
  const times = { service: [], reference: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
      const made = await makeBudgets(ask, [kind === 'service' ? POOL : APART]);
      times[kind].push(await timeOf(target));
      for (const { id } of made) {
        await ask('DELETE', `/admin/budgets/${id}`);
      }
    }
  }
  return times;
}

/** Each conversation has one reply at a time. */
async function timeOf(target) {
  const lanes = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      const { token } = target.people[lane % LANES];
      const id = await target.server.createChat(target.people[lane % LANES]);
      return { token, id };
    }),
  );
  const began = performance.now();
  await Promise.all(
    lanes.map(async ({ token, id }) => {
      for (let sent = 0; sent < SENDS / AT_ONCE; sent++) {
        await readReply(target, {
          port: target.server.port,
          method: 'POST',
          path: '/api/v1/chat/message?stream=true',
          headers: { authorization: `Bearer ${token}` },
          body: { chat_id: id, content: JSON.stringify(SCRIPT) },
        });
      }
    }),
  );
  return (performance.now() - began) / (Math.ceil(SENDS / AT_ONCE) * AT_ONCE);
}
