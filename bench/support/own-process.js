const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');

/** Kernel ticks a second in which Linux counts CPU time for `/proc`; the same on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

const running = new Set();
// However the measurement ends, nothing of it stays behind.
process.on('exit', () => {
  for (const child of running) {
    child.kill('SIGKILL');
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.exit(1));
}

/** A Node process of the measurement's own, and what the kernel knows about it. Linux only. */
class OwnProcess {
  constructor(child) {
    this.child = child;
    running.add(child);
    this.gone = once(child, 'exit').then(() => running.delete(child));
  }

  /**
   * Starts a script and waits until it prints a line with the address it listens on.
   *
   * @param {string[]} parameters the script, and Node's options before it
   * @param {{ environment?: Record<string, string>, folder?: string, node?: string }} options `node`: another Node
   * @returns {Promise<{ process: OwnProcess, port: number }>}
   */
  static async start(parameters, { environment = {}, folder, node = process.execPath } = {}) {
    const child = spawn(node, parameters, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const own = new OwnProcess(child);
    const port = await new Promise((resolve, reject) => {
      let output = '';
      const read = (part) => {
        output = (output + part).slice(-8_192);
        const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
        if (found) {
          resolve(Number(found[1]));
        }
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => reject(new Error(`${parameters.join(' ')} ended:\n${output}`)));
    });
    child.stderr.on('data', (text) => process.stderr.write(text));
    return { process: own, port };
  }

  get pid() {
    return this.child.pid;
  }

  /** CPU time of all its threads so far, in milliseconds. */
  cpuMilliseconds() {
    return cpuMillisecondsOf(this.pid);
  }

  /** Memory it occupies, in KiB. */
  residentKibibytes() {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]);
  }

  /** Ends it, by default in order, and resolves when it is gone. */
  async end(signal = 'SIGTERM') {
    this.child.kill(signal);
    await this.gone;
  }
}

/** CPU time of all threads of a process so far, in milliseconds. */
function cpuMillisecondsOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may contain spaces; the fields after it are counted from its closing bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

module.exports = { cpuMillisecondsOf, OwnProcess };
