const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');

/** Ticks per second in which Linux counts CPU time in `/proc`, on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

const running = new Set();
// No child process survives the measurement, even if it fails.
process.on('exit', () => {
  for (const child of running) {
    child.kill('SIGKILL');
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.exit(1));
}

/** A Node process started by the measurement, with its figures from the kernel. Linux only. */
class OwnProcess {
  constructor(child) {
    this.child = child;
    running.add(child);
    this.gone = once(child, 'exit').then(() => running.delete(child));
  }

  /**
   * Starts a script and waits until it prints a line with its address.
   *
   * @param {string[]} parameters the script, preceded by options for Node
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

  /** CPU time of all threads so far, in milliseconds. */
  cpuMilliseconds() {
    return cpuMillisecondsOf(this.pid);
  }

  /** Resident memory in KiB. */
  residentKibibytes() {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]);
  }

  /** Stops the process, gracefully by default, and resolves when it has exited. */
  async end(signal = 'SIGTERM') {
    this.child.kill(signal);
    await this.gone;
  }
}

/** CPU time of all threads of a process so far, in milliseconds. */
function cpuMillisecondsOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program name may contain spaces, so the fields are counted from its closing bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

module.exports = { cpuMillisecondsOf, OwnProcess };
