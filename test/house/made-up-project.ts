import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project of a few lines, on the disk until `remove`. */
export class MadeUpProject {
  readonly root = mkdtempSync(join(tmpdir(), 'made-up-project-'));

  /** @param files texts by their paths below `src` */
  constructor(files: Record<string, string>) {
    const compilerOptions = { strict: true, target: 'es2022', module: 'node20', experimentalDecorators: true };
    this.write('tsconfig.json', JSON.stringify({ compilerOptions }));
    Object.entries(files).forEach(([path, text]) => this.write(join('src', path), text));
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  private write(path: string, text: string): void {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
}
