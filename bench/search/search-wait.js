const { call } = require('../support/client.js');
const { median, microseconds, percentile } = require('../support/numbers.js');
const { NEEDLES } = require('./prepare.js');

const REQUESTS = 300;

/**
 * The additional time of other users' small requests while a search runs.
 *
 * @returns rows of the table
 */
async function measureWaits(service, token, rounds) {
  const other = (await service.register('other')).token;
  await measureOthers(service, other);
  const rows = [];
  for (const [what, needle] of Object.entries(NEEDLES)) {
    rows.push(...(await measureBeside(service, { what, needle, token, other, rounds })));
  }
  return rows;
}

async function measureBeside(service, { what, needle, token, other, rounds }) {
  const added = { median: [], '95th percentile': [], longest: [] };
  for (let round = 0; round < rounds; round++) {
    const alone = await measureOthers(service, other);
    const searching = new AbortController();
    const search = searchUntil(service, token, needle, searching.signal);
    const beside = await measureOthers(service, other);
    searching.abort();
    await search;
    added.median.push(median(beside) - median(alone));
    added['95th percentile'].push(percentile(beside, 0.95) - percentile(alone, 0.95));
    added.longest.push(Math.max(...beside) - median(alone));
  }
  return Object.entries(added).map(([name, values]) => ({
    figure: `Wait beside a search for ${what}, added, ${name} (${service.engine})`,
    unit: 'ms',
    service: values,
    limit: 20,
  }));
}

async function searchUntil(service, token, needle, signal) {
  const path = `/api/v1/chat?limit=20&q=${encodeURIComponent(needle)}`;
  while (!signal.aborted) {
    await call(service.agent, { port: service.port, path, headers: { authorization: `Bearer ${token}` } });
  }
}

/** The times of small requests in sequence, in milliseconds. */
async function measureOthers(service, token) {
  const times = [];
  for (let request = 0; request < REQUESTS; request++) {
    const startedAt = microseconds();
    await call(service.agent, {
      port: service.port,
      path: '/api/v1/auth/me',
      headers: { authorization: `Bearer ${token}` },
    });
    times.push((microseconds() - startedAt) / 1_000);
  }
  return times;
}

module.exports = { measureWaits };
