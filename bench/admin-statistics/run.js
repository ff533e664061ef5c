// Measures the cost of administrator reports by number of messages; see README.md.
// npm run build && node bench/admin-statistics/run.js [SQLite] [MariaDB]
const path = require('node:path');
const { analyse, openForSeeding } = require('../history/seed.js');
const { exchange } = require('../support/client.js');
const { microseconds } = require('../support/numbers.js');
const { Service } = require('../support/service.js');
const { seedInstallation } = require('./seed.js');

/** The same users and days, so the roll-ups have the same number of rows. */
const SIZES = [
  { messages: 1_000, users: 10, days: 50 },
  { messages: 1_000_000, users: 10, days: 50 },
  // The cost of many users and days.
  { messages: 1_000_000, users: 2_000, days: 365 },
];
/** Width of the route column, in characters. */
const WIDTH = 92;

/** Including one warm-up round. */
const ROUNDS = 15;

const DAY_MILLISECONDS = 86_400_000;
const day = (ago) => new Date(Date.now() - ago * DAY_MILLISECONDS).toISOString().slice(0, 10);
const YEAR = `from=${day(364)}&to=${day(0)}`;

/** The first overview after a start, before past days are cached. */
const FIRST = 'first overview after a start';
const STARTS = 3;

const REPORTS_AND_LISTS = [
  '/stats/overview',
  '/stats/usage',
  `/stats/usage?${YEAR}&size=100`,
  `/stats/usage?${YEAR}&group_by=agent`,
  `/stats/usage?${YEAR}&group_by=model`,
  '/stats/usage?group_by=user',
  `/stats/usage?${YEAR}&group_by=user`,
  `/stats/usage?${YEAR}&group_by=user&format=csv`,
  `/stats/usage?${YEAR}&group_by=day&agent_id=2&sort=-tokens`,
  `/stats/usage?${YEAR}&group_by=model&user_id=1007`,
  `/stats/usage?group_by=user&agent_id=2&model=large`,
  `/stats/usage?${YEAR}&group_by=user&agent_id=2`,
  `/stats/usage?${YEAR}&group_by=api_key&sort=-messages`,
  `/stats/usage?${YEAR}&group_by=api_key&user_id=1007`,
  `/stats/usage?${YEAR}&group_by=day&api_key_id=8`,
  '/users/1007/usage',
  '/users',
  '/users?sort=username',
  '/users?sort=-tokens',
  '/users?q=99',
  '/chats',
  '/chats?sort=created_at',
  '/chats?user_id=1007',
  '/chats?agent_id=2',
  `/chats?from=${day(7)}`,
  '/feedback',
  '/feedback?agent_id=2',
  `/feedback?from=${day(0)}`,
  '/audit_logs',
  '/audit_logs?sort=created_at&page=50',
  '/audit_logs?action=user.ban',
  `/audit_logs?from=${day(1)}`,
  '/api-keys',
  '/api-keys?sort=-last_used_at',
  '/api-keys?q=999',
  '/webhooks',
];
const DELIVERIES = ['', '?sort=created_at&page=50', '?status=failed', `?from=${day(1)}`];
/** Reads one row, as a measure of the machine's speed. */
const YARDSTICK = '/auth/me';
const ROUTES = [
  YARDSTICK,
  ...REPORTS_AND_LISTS.map((route) => `/admin${route}`),
  ...DELIVERIES.map((query) => `/webhooks/1/deliveries${query}`),
];

/** @returns {Promise<number[]>} milliseconds of each route, in order */
async function measure(engine, size) {
  const service = await Service.start(engine, {
    modelPort: 9,
    folder: path.join(__dirname, '../../dist'),
    environment: { RATE_LIMIT_ADMIN: '100000' },
  });
  try {
    const { id, token } = await service.register('chief');
    await service.process.end();
    const database = await openForSeeding(service);
    await seedInstallation(database, { ...size, ownerId: id, sqlite: engine === 'SQLite' });
    await database.run(`UPDATE users SET user_type = 'admin' WHERE id = ${id}`);
    await analyse(database, service);
    await database.close();
    const first = [];
    for (let start = 0; start < STARTS; start++) {
      if (start > 0) await service.process.end();
      await service.startProcess();
      first.push(await once(service, token, '/api/v1/admin/stats/overview'));
    }
    const times = [Math.min(...first)];
    for (const route of ROUTES) {
      times.push(await time(service, token, `/api/v1${route}`));
    }
    return times;
  } finally {
    await service.close();
  }
}

async function time(service, token, route) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    rounds.push(await once(service, token, route));
  }
  // Other load on the machine can only increase a time, so the minimum counts.
  return Math.min(...rounds.slice(1));
}

/** @returns {Promise<number>} milliseconds */
async function once({ agent, port }, token, route) {
  const started = microseconds();
  const request = { port, path: route, headers: { authorization: `Bearer ${token}` } };
  const { status } = await exchange(agent, request, () => undefined);
  if (status !== 200) {
    throw new Error(`${route} answered ${status}`);
  }
  return (microseconds() - started) / 1_000;
}

async function main() {
  const engines = process.argv.length > 2 ? process.argv.slice(2) : ['SQLite', 'MariaDB'];
  for (const engine of engines) {
    const results = [];
    for (const size of SIZES) {
      results.push(await measure(engine, size));
    }
    const headings = SIZES.map(({ messages, users }) => `${short(messages)} of ${short(users)}`);
    console.log(`\n${`${engine}, milliseconds`.padEnd(WIDTH)} ${[...headings, 'ratio'].map(cell).join(' ')}`);
    [FIRST, ...ROUTES].forEach((route, index) => {
      const times = results.map((each) => each[index]);
      const cells = [...times.map((each) => each.toFixed(1)), (times[1] / times[0]).toFixed(2)];
      console.log(route.padEnd(WIDTH), ...cells.map(cell));
    });
  }
}

function short(number) {
  return number.toLocaleString('en');
}

function cell(text) {
  return text.padStart(18);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
