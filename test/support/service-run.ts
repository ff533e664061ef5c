import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { compileCacheOf, countServiceStart } from './service-starts';

const PROGRAM = resolve(__dirname, '../../dist/main.js');

/**
 * The built service, or another program that starts it, run as an operator does in its own folder, and its output.
 * Needs `npm run build`.
 */
export class ServiceRun {
  /** Resolves with the exit code; null if a signal stopped it. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly listeners = new Set<() => void>();
  private text = '';

  constructor(folder: string, environment: Record<string, string>, program = PROGRAM) {
    countServiceStart();
    const { PATH } = process.env;
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      env: { PATH, NODE_COMPILE_CACHE: compileCacheOf(program), PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        this.text += part;
        this.listeners.forEach((listener) => listener());
      });
    }
    this.child = child;
    this.ended = once(child, 'close').then(([code]) => code as number | null);
  }

  output(): string {
    return this.text;
  }

  /** `http://127.0.0.1:<port>`, once the output has the start message. */
  origin(): string {
    return /http:\/\/127\.0\.0\.1:\d+/.exec(this.text)?.[0] ?? '';
  }

  /** Resolves when the output contains the text, or the process has exited. */
  untilOutput(wanted: string): Promise<void> {
    return new Promise((settle) => {
      const check = (): void => {
        if (this.text.includes(wanted)) settle();
      };
      this.listeners.add(check);
      void this.ended.then(() => settle());
      check();
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Kills it in any state. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}
