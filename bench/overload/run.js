// Measures how the service behaves under overload; see README.md.
// `npm run build && node bench/overload/run.js`
const { spawnSync } = require('node:child_process');
const { availableParallelism } = require('node:os');
const path = require('node:path');
const { Service } = require('../support/service.js');
const { OpenLoop } = require('./open-loop.js');

const PEOPLE = 20;
const CHATS = 20;
const SECONDS = Number(process.env.SECONDS ?? 5);
const RATES = (process.env.RATES ?? '200,400,600,800,1000,1200,1400,1600,2000,2400').split(',').map(Number);
const ENGINES = (process.env.ENGINES ?? 'SQLite,MariaDB').split(',');

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const FOLDER = path.resolve(process.env.DIST ?? path.join(__dirname, '../../dist'));

/** A load is beyond the knee if less than this share of the requests succeeds. */
const KEPT_UP = 0.97;

/** @returns the results at the knee, at maximum throughput, and at four times the knee, for each round */
async function measure(engine) {
  const service = await Service.start(engine, { modelPort: 9, folder: FOLDER });
  pin(service.process.pid);
  const people = [];
  for (let index = 0; index < PEOPLE; index++) {
    const person = await service.register(`person${index}`);
    for (let chat = 0; chat < CHATS; chat++) {
      await service.createChat(person);
    }
    people.push(person);
  }
  const requests = people.map(
    ({ token }) => `GET /api/v1/chat?limit=20 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const load = new OpenLoop(service.port, (index) => requests[index % PEOPLE]);
  const level = async (rate, seconds) => {
    const before = [performance.now(), service.process.cpuMilliseconds(), cpuMilliseconds()];
    const result = await load.run(rate, seconds);
    const [passed, own, client] = [performance.now(), service.process.cpuMilliseconds(), cpuMilliseconds()].map(
      (value, index) => value - before[index],
    );
    show(engine, rate, result, { service: own / passed, client: client / passed });
    return result;
  };
  await load.run(400, 5);
  let knee = null;
  let most = { rate: 0, good: 0 };
  for (const rate of RATES) {
    const result = await level(rate, SECONDS);
    most = result.good > most.good ? { rate, good: result.good } : most;
    if (result.good >= rate * KEPT_UP) {
      knee = rate;
    } else if (result.good < rate / 2) {
      break;
    }
  }
  if (knee === null) {
    throw new Error('The service did not keep up with the lowest rate.');
  }
  // The three loads take turns, because the load from other programs varies over time.
  const turns = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    turns.push([await level(knee, SECONDS), await level(most.rate, SECONDS), await level(4 * knee, SECONDS)]);
  }
  await level(knee / 2, SECONDS);
  load.close();
  await service.close();
  return turns.map(([atKnee, atMost, beyond]) => ({ engine, knee, atKnee, atMost, beyond }));
}

/**
 * Pins the service to the last core and this process to the others, if `taskset` is available. A database may use all
 * cores.
 */
function pin(pid) {
  const last = availableParallelism() - 1;
  if (last > 0) {
    const found = spawnSync('taskset', ['-acp', String(last), String(pid)]).status === 0;
    if (found) {
      spawnSync('taskset', ['-acp', `0-${last - 1}`, String(process.pid)]);
    }
  }
}

function cpuMilliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function show(engine, rate, level, cpu) {
  console.log(
    `${engine} ${String(rate).padStart(6)}/s asked ${level.good.toFixed(0).padStart(6)} done ` +
      `${level.refused.toFixed(0).padStart(6)} refused ${String(level.lost).padStart(6)} lost ` +
      `p50 ${at(level, 0.5)} p95 ${at(level, 0.95)} ms, ` +
      `CPU ${percent(cpu.service)} service ${percent(cpu.client)} client`,
  );
}

const p95 = ({ times }) => times[Math.floor(times.length * 0.95)] ?? NaN;
const at = ({ times }, share) => (times[Math.floor(times.length * share)] ?? NaN).toFixed(0);

const percent = (share) => `${(100 * share).toFixed(0)} %`;

async function main() {
  const rounds = [];
  for (const engine of ENGINES) {
    rounds.push(...(await measure(engine)));
  }
  for (const { engine, knee, atKnee, atMost, beyond } of rounds) {
    console.log(
      `${engine}: knee ${knee}/s, peak ${atMost.good.toFixed(0)}/s, at four times the knee ${beyond.good.toFixed(0)}/s, ` +
        `${percent(beyond.good / atMost.good)} of the peak; p95 ${p95(atKnee).toFixed(0)} and ${p95(beyond).toFixed(0)} ms`,
    );
  }
  process.exit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
