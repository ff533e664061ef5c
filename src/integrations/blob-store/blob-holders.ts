import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { insertRow } from '../../database/statements/insert';
import { BlobHolderEntity } from './blob-holder.entity';
import { BlobCollector, BlobReferences } from './blob-references';

/**
 * Which rows of other tables than messages need which blobs: each row one blob. Call the methods with a manager within
 * `Database.write`, in the transaction that changes those rows.
 */
@Injectable()
export class BlobHolders {
  constructor(
    private readonly database: Database,
    private readonly references: BlobReferences,
    private readonly collector: BlobCollector,
  ) {}

  /**
   * A new row needs a blob.
   *
   * @param kind the table of the row
   * @throws ServiceUnavailableError if the blob was erased since it was stored; the client may send the request again
   */
  async add(manager: EntityManager, kind: string, holderId: number, hash: string): Promise<void> {
    await this.references.hold(manager, [hash]);
    await insertRow(manager, BlobHolderEntity, { kind, holderId, hash });
  }

  /** Rows were deleted. Blobs that only they needed are erased soon after the commit. */
  async remove(manager: EntityManager, kind: string, holderIds: readonly number[]): Promise<void> {
    const held = { kind, holderId: In([...holderIds]) };
    const hashes = (await findRows(manager, BlobHolderEntity, held)).map(({ hash }) => hash);
    if (hashes.length > 0) {
      await this.references.release(manager, hashes, () => deleteRows(manager, BlobHolderEntity, held));
      this.database.onCommit(() => this.collector.wake());
    }
  }
}
