import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from './eventually';
import { compileCacheOf, countServiceStart } from './service-starts';

const MAIN = join(__dirname, '../../dist/main.js');
const START_MILLISECONDS = 60_000;

/** Without unneeded features, a start takes a seventh less processor time. */
export const SMALL = { DOCS_ENABLED: 'false', CONSOLE_ENABLED: 'false' };

/** The built service in its own process, for tests that kill it. Needs `npm run build`. */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** The base address of the API. */
    readonly url: string,
  ) {}

  /**
   * Starts it, on a free port unless the environment names one; resolves when it accepts requests.
   *
   * @param options for Node itself
   * @param program another one that starts the service
   */
  static async start(
    environment: Record<string, string>,
    options: string[] = [],
    program = MAIN,
  ): Promise<ServiceProcess> {
    countServiceStart();
    const { PATH } = process.env;
    const child = spawn(process.execPath, [...options, program], {
      env: { PATH, NODE_COMPILE_CACHE: compileCacheOf(program), PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No start in time:\n${output}`)), START_MILLISECONDS);
      const read = (data: string): void => {
        output += data;
        const found = /"?api"?[:\s]+"?(http[^\s"]+)/i.exec(output)?.[1];
        if (found) {
          clearTimeout(timer);
          resolve(found);
        }
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.once('exit', () => reject(new Error(`The service ended:\n${output}`)));
    });
    await ready(new URL('/health/ready', url));
    return new ServiceProcess(child, url);
  }

  get id(): number {
    return this.child.pid ?? 0;
  }

  hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Pauses or resumes it. */
  pause(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  /** Sends a signal and resolves with the exit code when the process has exited; null after SIGKILL. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.hasEnded()) {
      return this.child.exitCode;
    }
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  }
}

/** The service listens before its database is up; it is ready once the database is. */
async function ready(url: URL): Promise<void> {
  await eventually(async () => (await fetch(url)).ok);
}
