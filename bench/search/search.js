const { call } = require('../support/client.js');
const { microseconds, percentile } = require('../support/numbers.js');
const { Service } = require('../support/service.js');
const { NEEDLES, prepareSearchers } = require('./prepare.js');
const { measureWaits } = require('./search-wait.js');

const REQUESTS = 20;
/** MariaDB's buffer pool. Messages and index of both users fit into it, as on a server of a suitable size. */
const BUFFER_POOL = 4 * 2 ** 30;

/**
 * Searches over 1,000,000 messages of one user, next to another user with as many, over HTTP with one request at a
 * time, and the waiting time of other users during a search.
 */
module.exports = {
  title: 'Searching 1,000,000 messages',
  async measure({ rounds = 5, ...options }) {
    const rows = [];
    for (const engine of options.engines) {
      const service = await Service.start(engine, { ...options, modelPort: 9, bufferPool: BUFFER_POOL });
      try {
        const searchers = await prepareSearchers(service);
        for (const [name, token] of searchers) {
          for (const [what, needle] of Object.entries(NEEDLES)) {
            rows.push({
              figure: `Search for ${what}, ${name}, 95th percentile (${engine})`,
              unit: 'ms',
              service: await measureNeedle(service, token, needle, rounds),
              limit: 50,
            });
          }
        }
        const [token] = searchers.values();
        rows.push(...(await measureWaits(service, token, rounds)));
      } finally {
        await service.close();
      }
    }
    return rows;
  },
};

/** The 95th percentile of each round, in milliseconds. The first request warms up the caches. */
async function measureNeedle(service, token, needle, rounds) {
  const path = `/api/v1/chat?limit=20&q=${encodeURIComponent(needle)}`;
  const search = async () => {
    const startedAt = microseconds();
    await call(service.agent, { port: service.port, path, headers: { authorization: `Bearer ${token}` } });
    return (microseconds() - startedAt) / 1_000;
  };
  const first = await search();
  // A search that takes seconds does not need twenty repetitions.
  const requests = first > 500 ? 2 : REQUESTS;
  const values = [];
  for (let round = 0; round < rounds; round++) {
    const times = [];
    for (let request = 0; request < requests; request++) {
      times.push(await search());
    }
    values.push(percentile(times, 0.95));
  }
  return values;
}
