const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { ROOT } = require('../spec-files.js');
const { Coverage } = require('./coverage.js');
const { figure } = require('./figure.js');
const { FLOWS, openClient } = require('./flows.js');
const { startProvider } = require('./scripted-provider.js');

const BUILD = path.join(ROOT, 'dist');
const ADMINISTRATOR = { email: 'house@example.com', password: 'kS8rTq1vZx4NwYb7' };

/** Before it is counted, a flow runs so often: what is loaded or read for the first time does not count. */
const WARM_RUNS = 2;

/** A line counts when it ran each time, so that a cache that expires during a run changes nothing. */
const COUNTED_RUNS = 3;

const MOST_LINES_SHARE = 0.8;

/** The targets of the reviewed structure: files that run, and files that hold most of the lines. */
const TARGETS = {
  message: [95, 42],
  completion: [85, 42],
  response: [120, 52],
  decision: [120, 55],
  'sign-in': [20],
  refresh: [8],
};

/**
 * The files of features (`src/modules`, `src/integrations`) that the built service runs for each flow, on SQLite with a
 * scripted provider, and the fewest of them that hold 80 % of the lines that run.
 *
 * @returns {Promise<import('./figure.js').Figure[]>}
 */
async function flowFigures() {
  const folder = mkdtempSync(path.join(tmpdir(), 'house-'));
  const provider = await startProvider();
  const app = await startBuilt(folder, provider.url);
  const coverage = new Coverage((file) => /\/dist\/(modules|integrations)\//.test(file) && file.startsWith(BUILD));
  await coverage.start();
  try {
    const client = await openClient(await app.getUrl(), ADMINISTRATOR);
    const figures = [];
    for (const [name, flow] of Object.entries(FLOWS))
      figures.push(...figuresOf(name, await count(flow, client, coverage)));
    return figures;
  } finally {
    coverage.stop();
    await app.close();
    provider.stop();
    rmSync(folder, { recursive: true });
  }
}

/** As `main.ts` does, without its messages. No loop in the background takes another step. */
async function startBuilt(folder, providerUrl) {
  const { NestFactory } = require('@nestjs/core');
  const built = (name) => require(path.join(BUILD, name));
  const environment = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: `sqlite:${path.join(folder, 'house.sqlite')}`,
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    ADMIN_EMAIL: ADMINISTRATOR.email,
    ADMIN_PASSWORD: ADMINISTRATOR.password,
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: providerUrl,
    LLM_API_KEY: 'none',
    LLM_MODEL: 'house-model',
  };
  const adapter = new (built('common/http/server/fast-express-adapter.js').FastExpressAdapter)();
  const options = { bodyParser: false, logger: false, abortOnError: false };
  const app = await NestFactory.create(built('app.module.js').AppModule.register(environment), adapter, options);
  built('app-setup.js').configureApp(app);
  await app.listen(0, '127.0.0.1');
  await app.get(built('database/database.js').Database).whenReady();
  built('common/background/background-loop.js').BackgroundLoop.prototype.wake = () => undefined;
  return app;
}

/** The lines that each counted run of the flow has run, by file. */
async function count({ prepare = () => undefined, run }, client, coverage) {
  let common;
  for (let index = -WARM_RUNS; index < COUNTED_RUNS; index++) {
    const prepared = await prepare(client);
    const lines = await coverage.linesOf(() => run(client, prepared));
    if (index === 0) common = lines;
    else if (index > 0) common = inBoth(common, lines);
  }
  return common;
}

function inBoth(one, other) {
  const both = [...one].map(([file, lines]) => [
    file,
    new Set([...lines].filter((line) => other.get(file)?.has(line))),
  ]);
  return new Map(both.filter(([, lines]) => lines.size > 0));
}

function figuresOf(name, lines) {
  const files = [...lines].sort(([, one], [, other]) => other.size - one.size);
  const all = files.reduce((sum, [, { size }]) => sum + size, 0);
  let held = 0;
  const most = files.filter(([, { size }]) => (held += size) - size < all * MOST_LINES_SHARE);
  const [filesTarget, mostTarget] = TARGETS[name];
  const placesOf = (some) => some.map(([file, { size }]) => `${sourceOf(file)} (${size})`);
  return [
    figure(`files run: ${name}`, placesOf(files), filesTarget),
    figure(`files with 80 % of the lines run: ${name}`, placesOf(most), mostTarget, 1),
  ];
}

function sourceOf(file) {
  return `src/${path.relative(BUILD, file).replace(/\.js$/, '.ts')}`;
}

module.exports = { flowFigures };
