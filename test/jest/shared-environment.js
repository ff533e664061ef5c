const { AsyncLocalStorage } = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// @borrowed jest-runtime
/** The symbols under which jest's runner stores the state of one file among the globals. */
const stateOfJest = /JEST_STATE|EVENT_HANDLERS|TIMEOUT|RETRY/;

/** Used since the last file. Node 20 visits each of them at each new promise until it is disabled. */
const storages = new Set();
for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...parameters) {
    storages.add(this);
    return original.apply(this, parameters);
  };
}

/** The message from jest to a worker that there are no more files, as defined by `jest-worker`. */
const END_OF_WORK = 2;

// The instance that files share (`test/support/shared-apps.ts`) would keep the worker alive.
process.on('message', ([kind]) => {
  if (kind === END_OF_WORK) process.exit();
});
// It may not outlive a killed run either, with its instance and its browser.
process.on('disconnect', () => process.exit());

/**
 * No sandbox: test files share the globals of the process with the service, which `shared-runtime.js` loads there.
 * After each file the globals are restored.
 */
class SharedEnvironment {
  constructor({ projectConfig: config }, { testPath }) {
    const global = globalThis;
    this.global = global;
    this.before = {
      console: global.console,
      environment: { ...process.env },
      exit: process.exit,
      symbols: new Set(Object.getOwnPropertySymbols(global)),
    };
    this.fakesTimers = readFileSync(testPath, 'utf8').includes('jest.useFakeTimers(');
    Object.assign(global, config.globals);
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  /** With fake timers the shared instance would wait forever: the next file that needs one starts another. */
  async setup() {
    if (!this.fakesTimers) return;
    const apps = [...(this.global.sharedApps?.values() ?? [])];
    this.global.sharedApps?.clear();
    await Promise.all(apps.map(async (app) => (await app).close()));
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.global.console = this.before.console;
    Object.keys(process.env).forEach((name) => delete process.env[name]);
    Object.assign(process.env, this.before.environment);
    process.exit = this.before.exit;
    for (const symbol of Object.getOwnPropertySymbols(this.global)) {
      if (!this.before.symbols.has(symbol) && stateOfJest.test(symbol.description)) delete this.global[symbol];
    }
    storages.forEach((storage) => storage.disable());
    storages.clear();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.global;
  }
}

module.exports = SharedEnvironment;
