const { LANES, readReply, Stage } = require('./stage.js');

const REPLIES_PER_LANE = 40;
const CHUNKS = 100;
const WAYS = {
  'each its own packet': { chunks: CHUNKS, separate: true },
  'all in one packet': { chunks: CHUNKS },
};

/** 100 chunks back to back, 8 replies at once: the CPU time of the process, all threads, for 1,000 chunks. */
module.exports = {
  title: 'CPU per 1,000 chunks',
  async measure({ rounds = 5, ...options }) {
    const stage = await Stage.open(options);
    const costs = new Map(stage.targets.map((target) => [target, {}]));
    try {
      for (let round = 0; round <= rounds; round++) {
        for (const [way, script] of Object.entries(WAYS)) {
          for (const target of [stage.relay, ...stage.services]) {
            const cost = await measureRound(target, script);
            // The first round is for the compiler.
            if (round > 0) {
              (costs.get(target)[way] ??= []).push(cost);
            }
          }
        }
      }
    } finally {
      await stage.close();
    }
    return stage.services.flatMap((service) =>
      Object.keys(WAYS).map((way) => ({
        figure: `CPU per 1,000 chunks, ${way} (${service.name})`,
        unit: 'ms',
        service: costs.get(service)[way],
        reference: costs.get(stage.relay)[way],
        most: service.name === 'SQLite' ? 1.2 : undefined,
      })),
    );
  },
};

async function measureRound(target, script) {
  await target.prepare(REPLIES_PER_LANE);
  const before = target.process.cpuMilliseconds();
  const lane = async (_, index) => {
    for (let reply = 0; reply < REPLIES_PER_LANE; reply++) {
      await readReply(target, target.requestFor(index, script, reply));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const chunks = LANES * REPLIES_PER_LANE * CHUNKS;
  return ((target.process.cpuMilliseconds() - before) / chunks) * 1_000;
}
