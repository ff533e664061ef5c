const childProcess = require('node:child_process');
const path = require('node:path');
const threads = require('node:worker_threads');
const { buildSync } = require('esbuild');

const BUNDLES = path.resolve(__dirname, '../../node_modules/.cache/children');

/** Node 20 runs no TypeScript, so a thread whose file is TypeScript gets the output of `compile`. */
function runTypeScriptWorkers(compile) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      if (/\.ts$/.test(file)) super(compile(file), { ...options, eval: true });
      else super(file, options);
    }
  };
}

/**
 * A child process of the service whose file is TypeScript gets a bundle of that file and what it imports from `src`: it has too few
 * rights to compile.
 */
function runTypeScriptChildren() {
  const { fork } = childProcess;
  const bundles = new Map();
  childProcess.fork = (file, ...others) =>
    fork(/[\\/]src[\\/].*\.ts$/.test(file) ? bundleOf(file, bundles) : file, ...others);
}

function bundleOf(file, bundles) {
  if (!bundles.has(file)) {
    const outfile = path.join(BUNDLES, `${path.basename(file, '.ts')}-${process.pid}.js`);
    buildSync({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    });
    bundles.set(file, outfile);
  }
  return bundles.get(file);
}

module.exports = { runTypeScriptChildren, runTypeScriptWorkers };
