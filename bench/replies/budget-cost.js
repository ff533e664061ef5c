const { call } = require('../support/client.js');
const { costOf } = require('./reply-cost.js');
const { Stage } = require('./stage.js');

const CHUNKS = 100;
const FIRST_REPLIES = 80;
const ADMINISTRATOR = { email: 'bench-admin@service.test', password: 'a long enough password' };
const ENVIRONMENT = { ADMIN_EMAIL: ADMINISTRATOR.email, ADMIN_PASSWORD: ADMINISTRATOR.password };

/** High enough that nothing is refused. A hard limit is also sent to the model as its output limit. */
const BUDGET = { window: 'month', limit: '1000000', mode: 'hard', thresholds: [] };
const POOL = { ...BUDGET, scope: 'service' };
const BUDGETS = [
  POOL,
  { ...BUDGET, scope: 'agent', scope_id: 1 },
  { ...BUDGET, scope: 'membership_type', scope_id: 'free', each_user: true },
];

/**
 * The CPU time per reply for streamed replies under three budgets, one of them for the whole service, compared with the
 * same replies without budgets.
 */
module.exports = {
  title: 'CPU per reply under budgets',
  administratorOf,
  ENVIRONMENT,
  makeBudgets,
  POOL,
  async measure({ rounds = 5, sample, ...options }) {
    const stage = await Stage.open({ ...options, environment: ENVIRONMENT });
    try {
      const rows = [];
      for (const service of stage.services) {
        const costs = await compare(service, { rounds, sample });
        rows.push({ figure: `CPU per reply under three budgets (${service.name})`, unit: 'ms', ...costs, most: 1.15 });
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
};

const PLAIN_TEXT = {
  async prepare(target, repliesPerLane) {
    await target.prepare(repliesPerLane);
    return (lane, script, reply) => target.requestFor(lane, script, reply);
  },
};

/**
 * @returns {Promise<{ service: number[], reference: number[] }>} milliseconds of CPU per reply, one value for each
 * round
 */
async function compare(target, { rounds, sample }) {
  const ask = await administratorOf(target.server);
  await ask('POST', '/admin/prices', { model: 'bench', input: '1', output: '2' });
  const costs = { service: [], reference: [] };
  const replies = sample / (await costOf(target, PLAIN_TEXT, CHUNKS, FIRST_REPLIES));
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
      const made = kind === 'service' ? await makeBudgets(ask) : [];
      costs[kind].push(await costOf(target, PLAIN_TEXT, CHUNKS, replies));
      for (const { id } of made) {
        await ask('DELETE', `/admin/budgets/${id}`);
      }
    }
  }
  return costs;
}

async function makeBudgets(ask, budgets = BUDGETS) {
  const made = [];
  for (const budget of budgets) {
    made.push((await ask('POST', '/admin/budgets', budget)).data);
  }
  return made;
}

async function administratorOf({ agent, port }) {
  const { access_token: token } = await call(agent, {
    port,
    method: 'POST',
    path: '/api/v1/auth/login',
    body: ADMINISTRATOR,
  });
  const headers = { authorization: `Bearer ${token}` };
  return (method, path, body) => call(agent, { port, method, path: `/api/v1${path}`, headers, body });
}
