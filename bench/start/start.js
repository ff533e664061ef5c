const { readFileSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { OwnProcess } = require('../support/own-process.js');
const { Service } = require('../support/service.js');

const IDLE_MILLISECONDS = 5_000;
/** Garbage collection takes longer on a busy machine. */
const COLLECT_MILLISECONDS = 60_000;
const KIBIBYTES = 1_024;

const PROBE = {
  nodeOptions: ['--expose-gc', '-r', path.join(__dirname, 'probe.js')],
  environment: { PROBE_FILE: 'probe.json' },
};

/**
 * Figures by their names in a sample. Two kinds are unsteady: wall-clock times depend on other programs, and resident
 * memory depends on when V8 and the allocator return it.
 */
const FIGURES = {
  listening: { figure: 'Start to listening', unit: 'ms', limit: 1_200, isUnsteady: true },
  ready: { figure: 'Start to ready', unit: 'ms', isUnsteady: true },
  cpu: { figure: 'CPU of the start', unit: 'ms' },
  files: { figure: 'Files of code read at the start', unit: '' },
  resident: { figure: 'Memory of the idle process', unit: 'MiB', limit: 130, isUnsteady: true },
  collected: { figure: 'Memory of the idle process, without garbage', unit: 'MiB', isUnsteady: true },
  living: { figure: 'Living heap of the idle process', unit: 'MiB' },
};

/** Starts the service on an existing database, and measures the memory of the idle process. */
module.exports = {
  title: 'Start and idle memory',
  async measure({ rounds = 5, ...options }) {
    const model = await OwnProcess.start([path.join(__dirname, '../replies/upstream.js')]);
    const rows = [];
    for (const engine of options.engines) {
      const service = await Service.start(engine, { ...options, ...PROBE, modelPort: model.port });
      try {
        rows.push(...(await measureService(service, rounds)));
      } finally {
        await service.close();
      }
    }
    await model.process.end();
    return rows;
  },
  against: { ...PROBE, seed: () => undefined, measureRound },
};

async function measureService(service, rounds) {
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    await service.process.end();
    const start = await measureStart(service);
    samples.push({ ...start, ...(await measureMemory(service)) });
  }
  return Object.entries(FIGURES).map(([name, { figure, unit, limit }]) => ({
    figure: `${figure} (${service.engine})`,
    unit,
    limit,
    service: samples.map((sample) => sample[name]),
  }));
}

/** Measures two builds at once, so that other programs affect both. */
async function measureRound({ kinds, services }) {
  const measureBoth = (measureOne) => Promise.all(kinds.map((kind) => measureOne(services[kind])));
  const starts = await measureBoth(measureStart);
  const memories = await measureBoth(measureMemory);
  const sampleOf = (kind) => ({ ...starts[kinds.indexOf(kind)], ...memories[kinds.indexOf(kind)] });
  const [now, earlier] = ['now', 'earlier'].map(sampleOf);
  return Object.entries(FIGURES).map(([name, { figure, unit, isUnsteady }]) => ({
    figure,
    unit,
    isUnsteady,
    now: now[name],
    earlier: earlier[name],
  }));
}

async function measureStart(service) {
  const startedAt = performance.now();
  await service.startProcess();
  const ready = performance.now() - startedAt;
  const cpu = service.process.cpuMilliseconds();
  const { listening, files } = readProbe(service);
  return { listening, ready, cpu, files };
}

async function measureMemory(service) {
  await delay(IDLE_MILLISECONDS);
  const resident = service.process.residentKibibytes() / KIBIBYTES;
  service.process.child.kill('SIGUSR2');
  let facts = readProbe(service);
  for (const deadline = Date.now() + COLLECT_MILLISECONDS; facts.living === undefined;) {
    if (Date.now() > deadline) {
      throw new Error(`The service did not collect its garbage within ${COLLECT_MILLISECONDS} ms.`);
    }
    await delay(100);
    facts = readProbe(service);
  }
  return { resident, collected: facts.collected / KIBIBYTES ** 2, living: facts.living / KIBIBYTES ** 2 };
}

/** Reads the results of the probe. */
function readProbe({ folder }) {
  return JSON.parse(readFileSync(path.join(folder, 'probe.json'), 'utf8'));
}
