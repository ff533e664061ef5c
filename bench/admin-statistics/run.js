// What the reports for administrators cost, by the number of messages; see README.md.
//   npm run build && node bench/admin-statistics/run.js [SQLite] [MariaDB]
const path = require('node:path');
const { analyse, openForSeeding } = require('../history/seed.js');
const { exchange } = require('../support/client.js');
const { median, microseconds } = require('../support/numbers.js');
const { Service } = require('../support/service.js');
const { seedInstallation } = require('./seed.js');

/** With the same users and days; then the sums have as many rows. */
const SIZES = [
  { messages: 1_000, users: 10, days: 50 },
  { messages: 1_000_000, users: 10, days: 50 },
  // What many users and days cost.
  { messages: 1_000_000, users: 2_000, days: 365 },
];
/** With one for warming up, few enough for the rate limit of administrators. */
const ROUNDS = 15;

const DAY_MILLISECONDS = 86_400_000;
const day = (ago) => new Date(Date.now() - ago * DAY_MILLISECONDS).toISOString().slice(0, 10);
const YEAR = `from=${day(364)}&to=${day(0)}`;

const ROUTES = [
  '/stats/overview',
  '/stats/usage',
  `/stats/usage?${YEAR}&size=100`,
  `/stats/usage?${YEAR}&group_by=agent`,
  `/stats/usage?${YEAR}&group_by=model`,
  '/stats/usage?group_by=user',
  `/stats/usage?${YEAR}&group_by=user`,
  `/stats/usage?${YEAR}&group_by=user&format=csv`,
  '/users/1007/usage',
  '/users?sort=-tokens',
  '/users?q=99',
  '/chats',
  '/chats?user_id=1007',
  '/feedback',
];

/** @returns {Promise<number[]>} milliseconds of each route, in their order */
async function measure(engine, size) {
  const service = await Service.start(engine, { modelPort: 9, folder: path.join(__dirname, '../../dist') });
  try {
    const { id, token } = await service.register('chief');
    await service.process.end();
    const database = await openForSeeding(service);
    await seedInstallation(database, { ...size, sqlite: engine === 'SQLite' });
    await database.run(`UPDATE users SET user_type = 'admin' WHERE id = ${id}`);
    await analyse(database, service);
    await database.close();
    await service.startProcess();
    const times = [];
    for (const route of ROUTES) {
      times.push(await time(service, token, `/api/v1/admin${route}`));
    }
    return times;
  } finally {
    await service.close();
  }
}

async function time({ agent, port }, token, route) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const started = microseconds();
    const request = { port, path: route, headers: { authorization: `Bearer ${token}` } };
    const { status } = await exchange(agent, request, () => undefined);
    if (status !== 200) {
      throw new Error(`${route} answered ${status}`);
    }
    rounds.push((microseconds() - started) / 1_000);
  }
  return median(rounds.slice(1));
}

async function main() {
  const engines = process.argv.length > 2 ? process.argv.slice(2) : ['SQLite', 'MariaDB'];
  for (const engine of engines) {
    const results = [];
    for (const size of SIZES) {
      results.push(await measure(engine, size));
    }
    const headings = SIZES.map(({ messages, users }) => `${short(messages)} of ${short(users)}`);
    console.log(`\n${`${engine}, milliseconds`.padEnd(68)} ${[...headings, 'ratio'].map(cell).join(' ')}`);
    ROUTES.forEach((route, index) => {
      const times = results.map((each) => each[index]);
      const cells = [...times.map((each) => each.toFixed(1)), (times[1] / times[0]).toFixed(2)];
      console.log(route.padEnd(68), ...cells.map(cell));
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
