// Runs all measurements or the named ones: `npm run bench`, `npm run bench -- first-chunk history`.
//   --rounds 3          number of rounds; for soak, minutes
//   --engines SQLite    without MariaDB
//   --dist <folder>     a build other than dist
//   --sample 300        milliseconds of CPU per sample; the kernel's clock ticks every 10
//   --routes "/chat"    only routes that contain this text, in request-cost; with --against, only such figures
//   --node <program>    the Node for the service and the reference
//   --profile <folder>  folder for a CPU profile of each service and reference
//   --warm-up 10        with --against: ten times the requests before each sample, to compare processes that have run
//                       for minutes instead of new ones
//   --against <commit>  compares with a build of another commit, or with an existing one (its dist folder): start,
//                       request-cost, reply-cost, completion-cost
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { existsSync, readdirSync } = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { compareWith, COMPARISONS } = require('./against/against.js');
const { renderRatios, renderTable } = require('./support/table.js');

/** Measurements of the service against a reference. They share one table. */
const MEASUREMENTS = {
  start: './start/start.js',
  'request-cost': './request-cost/request-cost.js',
  'first-chunk': './replies/first-chunk.js',
  'reply-cost': './replies/reply-cost.js',
  'completion-cost': './replies/completion-cost.js',
  'budget-cost': './replies/budget-cost.js',
  'budget-rate': './replies/budget-rate.js',
  'guard-first-word': './replies/guard-first-word.js',
  'open-replies': './replies/open-replies.js',
  soak: './soak/soak.js',
  durability: './replies/durability.js',
  history: './history/history.js',
  instances: './instances/instances.js',
  search: './search/search.js',
};

/** Maximum time of a measurement, in milliseconds. After that, it is stopped. */
const LONGEST = 20 * 60_000;

/** Folders with their own `run.js` or `run.ts`, which print their results. */
const independent = new Map(
  readdirSync(__dirname)
    .map((name) => [name, ['run.js', 'run.ts'].map((file) => path.join(__dirname, name, file)).find(existsSync)])
    .filter(([, script]) => script !== undefined),
);
const typescriptLoader = path.join(__dirname, '../test/crash/typescript-loader.js');

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      engines: { type: 'string', default: 'SQLite,MariaDB' },
      sample: { type: 'string', default: '1000' },
      routes: { type: 'string', default: '' },
      node: { type: 'string' },
      dist: { type: 'string', default: path.join(__dirname, '../dist') },
      profile: { type: 'string' },
      against: { type: 'string' },
      'warm-up': { type: 'string', default: '1' },
    },
  });
  const known = values.against ? Object.keys(COMPARISONS) : [...Object.keys(MEASUREMENTS), ...independent.keys()];
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  }
  if (values.against && values.profile) {
    throw new Error('--profile measures one build. Run it without --against.');
  }
  const options = {
    rounds: values.rounds && Number(values.rounds),
    engines: values.engines.split(','),
    folder: path.resolve(values.dist),
    sample: Number(values.sample),
    routes: values.routes,
    warmUpFactor: Number(values['warm-up']),
    node: values.node && path.resolve(values.node),
    profile: values.profile && path.resolve(values.profile),
  };
  const names = positionals.length > 0 ? positionals : known;
  if (values.against) {
    const { name, rows } = await compareWith(values.against, { ...options, names });
    console.log(`\n${renderRatios(rows, name)}`);
    return;
  }
  const rows = [];
  for (const name of names) {
    if (name in MEASUREMENTS) {
      rows.push(...(await measure(name, options)));
    } else {
      await runIndependent(name);
    }
  }
  if (rows.length > 0) {
    console.log(`\n${renderTable(rows)}`);
  }
}

async function measure(name, options) {
  console.log(`${name} …`);
  const limit = setTimeout(() => {
    console.error(`${name} took too long.`);
    process.exit(1);
  }, LONGEST);
  try {
    return await require(MEASUREMENTS[name]).measure(options);
  } finally {
    clearTimeout(limit);
  }
}

async function runIndependent(name) {
  console.log(`${name} …`);
  const parameters = ['-r', typescriptLoader, independent.get(name)];
  const cwd = path.join(__dirname, '..');
  const child = spawn(process.execPath, parameters, { cwd, stdio: 'inherit', timeout: LONGEST });
  const [code] = await once(child, 'exit');
  if (code !== 0) {
    throw new Error(`${name} failed.`);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
