import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An in-memory file system that fills up like a disk: its calls return the same errors. */
export class SmallDisk {
  private readonly filler: string;

  private constructor(readonly folder: string) {
    this.filler = join(folder, 'filler');
  }

  /** @throws Error if this process may not mount */
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

  /** Fills the last byte. */
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
    // Open files in it must not keep the folder.
    execFileSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}
