import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory that is really full when it is full: as its calls tell, so do those of a disk. */
export class SmallDisk {
  private readonly filler: string;

  private constructor(readonly folder: string) {
    this.filler = join(folder, 'filler');
  }

  /** @throws Error where this process may not mount */
  static make(bytes: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'chat-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
    return new SmallDisk(folder);
  }

  static isPossible(): boolean {
    try {
      SmallDisk.make(65_536).remove();
      return true;
    } catch {
      return false;
    }
  }

  /** Takes the last byte. */
  fill(): void {
    const file = openSync(this.filler, 'a');
    try {
      for (let block = 1_048_576; block >= 4_096;) {
        try {
          writeSync(file, Buffer.alloc(block, 'x'));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          block /= 2;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  makeRoom(): void {
    rmSync(this.filler, { force: true });
  }

  remove(): void {
    // What is still open in it must not keep the folder.
    execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}
