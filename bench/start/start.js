const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { OwnProcess } = require('../support/own-process.js');
const { Service } = require('../support/service.js');

const IDLE_MILLISECONDS = 5_000;

/** The start of the service on a database that exists, and what the process occupies when nobody asks it. */
module.exports = {
  title: 'Start and idle memory',
  async measure({ rounds = 5, ...options }) {
    const model = await OwnProcess.start([path.join(__dirname, '../replies/upstream.js')]);
    const folder = mkdtempSync(path.join(tmpdir(), 'chat-bench-'));
    const probe = path.join(folder, 'probe.json');
    const rows = [];
    for (const engine of options.engines) {
      const service = await Service.start(engine, {
        ...options,
        modelPort: model.port,
        nodeOptions: ['-r', path.join(__dirname, 'probe.js')],
        environment: { PROBE_FILE: probe },
      });
      try {
        rows.push(...(await measureService(service, probe, rounds)));
      } finally {
        await service.close();
      }
    }
    await model.process.end();
    rmSync(folder, { recursive: true });
    return rows;
  },
};

async function measureService(service, probe, rounds) {
  const samples = { listening: [], ready: [], cpu: [], files: [], resident: [] };
  for (let round = 0; round < rounds; round++) {
    await service.process.end();
    const startedAt = performance.now();
    await service.startProcess();
    samples.ready.push(performance.now() - startedAt);
    samples.cpu.push(service.process.cpuMilliseconds());
    const { listening, files } = JSON.parse(readFileSync(probe, 'utf8'));
    samples.listening.push(listening);
    samples.files.push(files);
    await delay(IDLE_MILLISECONDS);
    samples.resident.push(service.process.residentKibibytes() / 1_024);
  }
  const row = (figure, unit, service, limit) => ({ figure, unit, service, limit });
  return [
    row('Start to listening', 'ms', samples.listening, 1_200),
    row('Start to ready', 'ms', samples.ready),
    row('CPU of the start', 'ms', samples.cpu),
    row('Files of code read at the start', '', samples.files),
    row('Memory of the idle process', 'MiB', samples.resident, 130),
  ].map((one) => ({ ...one, figure: `${one.figure} (${service.engine})` }));
}
