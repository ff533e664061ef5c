const { call } = require('../support/client.js');
const { microseconds, percentile } = require('../support/numbers.js');
const { Service } = require('../support/service.js');
const { NEEDLES, prepareSearchers } = require('./prepare.js');
const { measureWaits } = require('./search-wait.js');

const REQUESTS = 20;
/** MariaDB's memory for pages: messages and index of both users fit into it, as a server for them would have it. */
const BUFFER_POOL = 4 * 2 ** 30;

/**
 * Searches over 1,000,000 messages of one user beside another with as many, over HTTP, one after the other, and how long
 * others wait meanwhile.
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

/** The 95th percentile of each round, in milliseconds; the first request is for the caches. */
async function measureNeedle(service, token, needle, rounds) {
  const path = `/api/v1/chat?limit=20&q=${encodeURIComponent(needle)}`;
  const search = async () => {
    const startedAt = microseconds();
    await call(service.agent, { port: service.port, path, headers: { authorization: `Bearer ${token}` } });
    return (microseconds() - startedAt) / 1_000;
  };
  const first = await search();
  // What takes seconds needs no twenty of them.
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
