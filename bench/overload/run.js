// What the service does when more is asked of it than it can do; see README.md.
// `npm run build && node bench/overload/run.js`
const path = require('node:path');
const { Service } = require('../support/service.js');
const { OpenLoop } = require('./open-loop.js');

const PEOPLE = 20;
const CHATS = 20;
const SECONDS = Number(process.env.SECONDS ?? 5);
const RATES = (process.env.RATES ?? '200,400,600,800,1000,1200,1400,1600,2000,2400').split(',').map(Number);
const ENGINES = (process.env.ENGINES ?? 'SQLite,MariaDB').split(',');

/** A level is beyond the knee when less than this share of what is asked is done. */
const KEPT_UP = 0.97;

async function measure(engine) {
  const folder = path.resolve(process.env.DIST ?? path.join(__dirname, '../../dist'));
  const service = await Service.start(engine, { modelPort: 9, folder });
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
  await load.run(400, 5);
  let knee = null;
  let peak = 0;
  for (const rate of RATES) {
    const level = await load.run(rate, SECONDS);
    show(engine, rate, level);
    peak = Math.max(peak, level.good);
    if (level.good >= rate * KEPT_UP) {
      knee = { rate, ...level };
    } else if (level.good < rate / 2) {
      break;
    }
  }
  if (knee !== null) {
    const level = await load.run(4 * knee.rate, 2 * SECONDS);
    show(engine, 4 * knee.rate, level);
    const share = ((100 * level.good) / peak).toFixed(0);
    console.log(
      `${engine}: at four times the knee ${share} % of the peak is served, its p95 is ` +
        `${(p95(level) / p95(knee)).toFixed(1)} times that at the knee`,
    );
    show(engine, knee.rate / 2, await load.run(knee.rate / 2, SECONDS));
  }
  load.close();
  await service.close();
}

function show(engine, rate, level) {
  console.log(
    `${engine} ${String(rate).padStart(6)}/s asked ${level.good.toFixed(0).padStart(6)} done ` +
      `${level.refused.toFixed(0).padStart(6)} refused ${String(level.lost).padStart(6)} lost ` +
      `p50 ${at(level, 0.5)} p95 ${at(level, 0.95)} ms`,
  );
}

const p95 = ({ times }) => times[Math.floor(times.length * 0.95)] ?? NaN;
const at = ({ times }, share) => (times[Math.floor(times.length * share)] ?? NaN).toFixed(0);

async function main() {
  for (const engine of ENGINES) {
    await measure(engine);
  }
  process.exit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
