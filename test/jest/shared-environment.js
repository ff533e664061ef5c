const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** A jest environment without a sandbox: test files share the globals of the process with the service. */
class SharedEnvironment {
  constructor({ projectConfig: config }) {
    const global = globalThis;
    this.global = global;
    this.before = { console: global.console, exit: process.exit, symbols: Object.getOwnPropertySymbols(global) };
    Object.assign(global, config.globals);
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.global.console = this.before.console;
    process.exit = this.before.exit;
    // The state and the handlers of jest's runner, which belong to one file.
    for (const symbol of Object.getOwnPropertySymbols(this.global)) {
      const isNew = !this.before.symbols.includes(symbol);
      if (isNew && /JEST_STATE|EVENT_HANDLERS|TIMEOUT|RETRY/.test(symbol.description)) delete this.global[symbol];
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.global;
  }
}

module.exports = SharedEnvironment;
