const threads = require('node:worker_threads');

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

module.exports = { runTypeScriptWorkers };
