import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const PACKAGES = resolve(__dirname, 'node_modules');

/** A run exits on its own in a few seconds. */
const LONGEST_RUN_MILLISECONDS = 60_000;

/** The exit status of a third-party program, and its complete output. */
export interface ProgramRun {
  code: number | null;
  output: string;
}

/** A program with an empty home and working folder: it sees none of the machine's settings. */
export class Workplace {
  private constructor(private readonly root: string) {}

  static async make(): Promise<Workplace> {
    const workplace = new Workplace(await mkdtemp(join(tmpdir(), 'program-')));
    await mkdir(workplace.home);
    await mkdir(workplace.folder);
    return workplace;
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get folder(): string {
    return join(this.root, 'work');
  }

  /** Writes a file below the home. */
  async configure(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.home, path)), { recursive: true });
    await writeFile(join(this.home, path), text);
  }

  /** @param command the first word is a program in one of the packages, or a file to run with Node */
  run([program = '', ...parameters]: string[], environment: Record<string, string>): Promise<ProgramRun> {
    const { PATH = '' } = process.env;
    const child = spawn(program, parameters, {
      cwd: this.folder,
      env: { PATH, HOME: this.home, TERM: 'dumb', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its child processes exit with it.
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    return new Promise((settle, fail) => {
      const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), LONGEST_RUN_MILLISECONDS);
      child.once('error', fail);
      child.once('close', (code) => {
        clearTimeout(timer);
        settle({ code, output });
      });
    });
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A program that one of the packages installs. */
export const programOf = (name: string): string => join(PACKAGES, '.bin', name);

/** Starts a file in a package with a supported Node: this one, or one that npm downloads. */
export async function byNode(least: number, file: string): Promise<string[]> {
  const [major] = process.versions.node.split('.').map(Number);
  if ((major ?? 0) >= least) {
    return [process.execPath, join(PACKAGES, file)];
  }
  const asked = ['--yes', '--package', 'node@24', '--', 'node', '-p', 'process.execPath'];
  const { stdout } = await promisify(execFile)('npx', asked);
  return [stdout.trim(), join(PACKAGES, file)];
}
