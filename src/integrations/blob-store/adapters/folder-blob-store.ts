import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import type { Database } from '../../../database/database';
import { blobFile, unfinishedBlobs } from '../../../database/sqlite/blob-folder';
import { BlobStore } from '../blob-store';
import type { SpooledFile, SpoolPlace } from '../spooled-file';

/**
 * Files in a folder next to the SQLite file. The database belongs to one process, and so does the folder. Only their
 * owner can read the files. A file is written under a temporary name, and renamed when it is on the disk.
 */
export class FolderBlobStore extends BlobStore {
  private readonly logger = new Logger(FolderBlobStore.name);

  constructor(
    database: Database,
    clock: Clock,
    private readonly folder: string,
  ) {
    super(database, clock);
    database.onReady(() => this.sweep());
  }

  async freeBytes(): Promise<number | null> {
    try {
      // The folder does not exist before the first file.
      const room = await statfs(this.folder).catch(() => statfs(dirname(this.folder)));
      return room.bavail * room.bsize;
    } catch {
      return null;
    }
  }

  protected async read(hash: string): Promise<Buffer | null> {
    return unlessMissing(readFile(blobFile(this.folder, hash)), null);
  }

  protected async holds(hash: string): Promise<boolean> {
    const found = access(blobFile(this.folder, hash)).then(() => true);
    return unlessMissing(found, false);
  }

  protected async open(hash: string): Promise<Readable | null> {
    const handle = await unlessMissing(open(blobFile(this.folder, hash), 'r'), null);
    return handle && handle.createReadStream();
  }

  protected async write(hash: string, bytes: Uint8Array): Promise<void> {
    const { folder } = await this.spoolPlace();
    const unfinished = join(folder, randomUUID());
    try {
      await writeDown(unfinished, bytes);
      await this.name(hash, unfinished);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw new ServiceUnavailableError(error);
    }
  }

  protected async writeFile(hash: string, { path }: SpooledFile): Promise<void> {
    try {
      await this.name(hash, path);
    } catch (error) {
      throw new ServiceUnavailableError(error);
    }
  }

  protected override async spoolPlace(): Promise<SpoolPlace> {
    const folder = unfinishedBlobs(this.folder);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ServiceUnavailableError(error);
    }
    return { folder, keepsName: true };
  }

  protected async erase(hash: string): Promise<void> {
    try {
      await rm(blobFile(this.folder, hash), { force: true });
    } catch (error) {
      throw new ServiceUnavailableError(error);
    }
  }

  private async name(hash: string, unfinished: string): Promise<void> {
    const file = blobFile(this.folder, hash);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rename(unfinished, file);
    // The names of the file and of the folder must survive a power failure too.
    await sync(dirname(file));
    await sync(this.folder);
  }

  /** Removes the files that a crash left unfinished. */
  private async sweep(): Promise<void> {
    try {
      await rm(unfinishedBlobs(this.folder), { recursive: true, force: true });
    } catch (error) {
      this.logger.warn({ error }, 'Unfinished files of a crash cannot be removed.');
    }
  }
}

async function writeDown(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @throws ServiceUnavailableError for other failures of the file system */
async function unlessMissing<Found, Missing>(found: Promise<Found>, missing: Missing): Promise<Found | Missing> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return missing;
    }
    throw new ServiceUnavailableError(error);
  }
}
