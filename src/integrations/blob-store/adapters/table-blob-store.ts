import { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';
import { upsertRows } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { execute } from '../../../database/statements/run-statement';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { BlobEntity } from '../blob.entity';
import { BlobPieceEntity } from '../blob-piece.entity';
import { BlobStore } from '../blob-store';
import type { SpooledFile } from '../spooled-file';

/** Each piece is one packet to the server, far below the smallest default of `max_allowed_packet`. */
const PIECE_BYTES = 1_048_576;

const IS_THERE = 'SELECT number FROM blob_pieces WHERE hash = ? AND number = 0';
const PIECES = 'SELECT data FROM blob_pieces WHERE hash = ? ORDER BY number';
const PIECE = 'SELECT data FROM blob_pieces WHERE hash = ? AND number = ?';
const NUMBERS = 'SELECT number FROM blob_pieces WHERE hash = ? ORDER BY number';
const ERASE_PIECE = 'DELETE FROM blob_pieces WHERE hash = ? AND number = ?';
const ERASE = 'DELETE FROM blob_pieces WHERE hash = ?';

/** Rows in a table of the database, which all instances share. */
export class TableBlobStore extends BlobStore {
  /** The service cannot see the disk of the server. */
  freeBytes(): Promise<null> {
    return Promise.resolve(null);
  }

  protected async read(hash: string): Promise<Buffer | null> {
    const { rows } = await runStatement(this.database.manager, PIECES, [hash]);
    return rows.length === 0 ? null : Buffer.concat(rows.map(([data]) => data as Buffer));
  }

  protected async open(hash: string): Promise<Readable | null> {
    return (await this.holds(hash)) ? Readable.from(this.pieces(hash), { objectMode: false }) : null;
  }

  protected holds(hash: string): Promise<boolean> {
    return isThere(this.database.manager, hash);
  }

  protected async write(hash: string, bytes: Uint8Array): Promise<void> {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    await this.database.write(async (manager) => {
      // Concurrent writers of the same bytes wait here, and then find the row.
      await findLocked(manager, BlobEntity, { hash });
      if (await isThere(manager, hash)) {
        return;
      }
      for (let number = 0; number === 0 || number * PIECE_BYTES < data.length; number++) {
        const piece = data.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES);
        // An erasure that was cut off may have left some.
        await upsertRows(manager, BlobPieceEntity, [{ hash, number, data: piece }], ['hash', 'number']);
      }
    });
  }

  /**
   * One transaction for each piece, because a large file would exceed the limit of a cluster. The first piece is written
   * last: until then there is no blob.
   */
  protected async writeFile(hash: string, file: SpooledFile): Promise<void> {
    for (let number = Math.max(0, Math.ceil(file.bytes / PIECE_BYTES) - 1); number >= 0; number--) {
      const data = await file.read(number * PIECE_BYTES, PIECE_BYTES);
      await this.database.write(async (manager) => {
        await findLocked(manager, BlobEntity, { hash });
        // Concurrent writers store the same bytes.
        await upsertRows(manager, BlobPieceEntity, [{ hash, number, data }], ['hash', 'number']);
      });
    }
  }

  private async *pieces(hash: string): AsyncGenerator<Buffer> {
    for (let number = 0; ; number++) {
      const [data] = (await runForRow(this.database.manager, PIECE, [hash, number])) ?? [];
      if (data === undefined) {
        return;
      }
      yield data as Buffer;
    }
  }

  /** One transaction for each piece, as in `writeFile`. The first piece is erased first: from then on there is no blob. */
  protected override async eraseParts(
    hash: string,
    isDue: (manager: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    const { rows } = await runStatement(this.database.manager, NUMBERS, [hash]);
    let isIncomplete = false;
    for (const [number] of rows.length > 1 ? rows.slice(0, -1) : []) {
      const isErased = await this.database.write(async (manager) => {
        const mayErase = await isDue(manager);
        await (mayErase && execute(manager, ERASE_PIECE, [hash, Number(number)]));
        return mayErase;
      });
      if (!isErased) {
        break;
      }
      isIncomplete = true;
    }
    return isIncomplete;
  }

  protected async erase(hash: string): Promise<void> {
    await this.database.write((manager) => execute(manager, ERASE, [hash]));
  }
}

async function isThere(manager: EntityManager, hash: string): Promise<boolean> {
  return (await runForRow(manager, IS_THERE, [hash])) !== undefined;
}
