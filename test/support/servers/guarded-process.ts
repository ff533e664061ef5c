import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';

/** The command to run, and the line in its output (a regular expression) that shows that it accepts connections. */
export interface Launch {
  command: string;
  arguments: string[];
  ready: string;
}

interface ExitReport {
  type: 'exited';
  code: number | null;
  signal: string | null;
  output: string;
}

type GuardianReport = { type: 'ready' | 'frozen' } | ExitReport;

const startMilliseconds = 60_000;
const startAttempts = 3;

/**
 * A temporary folder with at most one server process. Both are removed when this process stops, even by SIGKILL,
 * because a small guardian process watches the channel to it.
 */
export class GuardedProcess {
  private constructor(
    /** Absolute path of the folder; it exists until `close()`. */
    readonly folder: string,
    private readonly guardian: ChildProcess,
  ) {}

  /** Creates the folder `<parent>/<name>-XXXXXX` and its guardian; the parent is the system's temporary folder. */
  static async open(name: string, parentFolder = tmpdir()): Promise<GuardedProcess> {
    const folder = await mkdtemp(join(parentFolder, `${name}-`));
    const guardian = fork(join(__dirname, 'guardian.js'), [folder], {
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    guardian.setMaxListeners(0);
    const guardedProcess = new GuardedProcess(folder, guardian);
    guardedProcess.holdEventLoop(false);
    return guardedProcess;
  }

  /** Starts the server on a free port, and tries another port if the port has been taken since. */
  async startOnFreePort(launchOn: (port: number) => Launch): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        await this.start(launchOn(port));
        return port;
      } catch (error) {
        if (attempt === startAttempts) throw error;
      }
    }
  }

  /** Resolves when the server is ready; rejects with its last output if it exits or takes over a minute. */
  async start(launch: Launch): Promise<void> {
    const report = this.nextReport(startMilliseconds);
    this.guardian.send({ type: 'start', ...launch });
    const outcome = await report;
    if (outcome.type === 'exited') throw new Error(`${launch.command} did not start:\n${outcome.output}`);
  }

  /** Runs a program to its end under the guardian; rejects with its output if it fails or takes too long. */
  async run(command: string, argumentsOfCommand: string[], milliseconds = startMilliseconds): Promise<void> {
    const report = this.nextReport(milliseconds);
    this.guardian.send({ type: 'start', command, arguments: argumentsOfCommand, ready: '(?!)' });
    const outcome = await report;
    if (outcome.type !== 'exited' || outcome.code !== 0) {
      throw new Error(`${command} failed:\n${outcome.type === 'exited' ? outcome.output : ''}`);
    }
  }

  /** Stops the server with a signal and resolves when it has exited; the folder stays. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const report = this.nextReport(startMilliseconds);
    this.signal(signal);
    await report;
  }

  /** Pauses the server, and resolves when it is paused. */
  async freeze(): Promise<void> {
    const report = this.nextReport(startMilliseconds);
    this.guardian.send({ type: 'freeze' });
    await report;
  }

  /** Resumes after `freeze()`. */
  resume(): void {
    this.signal('SIGCONT');
  }

  /** Kills the server if it runs and removes the folder; resolves when both are gone. May be called twice. */
  async close(): Promise<void> {
    if (this.guardian.exitCode !== null || this.guardian.signalCode !== null) return;
    this.guardian.ref();
    const gone = once(this.guardian, 'exit');
    if (this.guardian.connected) this.guardian.disconnect();
    await gone;
  }

  private signal(signal: NodeJS.Signals): void {
    this.guardian.send({ type: 'signal', signal });
  }

  private async nextReport(milliseconds: number): Promise<GuardianReport> {
    this.holdEventLoop(true);
    try {
      const signal = AbortSignal.timeout(milliseconds);
      const [report] = (await once(this.guardian, 'message', { signal })) as [GuardianReport];
      return report;
    } finally {
      this.holdEventLoop(false);
    }
  }

  /** Between operations the guardian must not keep a finished test run from exiting. */
  private holdEventLoop(hold: boolean): void {
    if (hold) {
      this.guardian.ref();
      this.guardian.channel?.ref();
    } else {
      this.guardian.unref();
      this.guardian.channel?.unref();
    }
  }
}
