import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { insertRow } from '../../database/statements/insert';
import { updateRows } from '../../database/statements/update';
import { BlobHolderEntity } from './blob-holder.entity';
import { BlobCollector, BlobReferences, type BytesOfUsers } from './blob-references';

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
   * @returns bytes of the blob that counted for the user because of messages, and do not any more
   * @throws ServiceUnavailableError if the blob was erased since it was stored; the client may send the request again
   */
  async add(manager: EntityManager, holder: BlobHolderEntity): Promise<number> {
    const { userId, hash } = holder;
    await this.references.hold(manager, [hash]);
    const counted = userId === null ? null : await this.references.counted(manager, [{ userId, hash }]);
    await insertRow(manager, BlobHolderEntity, holder);
    return counted?.get(userId ?? 0) ?? 0;
  }

  /**
   * Rows were deleted. Blobs that only they needed are erased soon after the commit.
   *
   * @returns bytes of the blobs that count for their users again, because of messages
   */
  async remove(manager: EntityManager, kind: string, holderIds: readonly number[]): Promise<BytesOfUsers> {
    const held = { kind, holderId: In([...holderIds]) };
    const holders = await findRows(manager, BlobHolderEntity, held);
    if (holders.length === 0) {
      return new Map();
    }
    const hashes = holders.map(({ hash }) => hash);
    await this.references.release(manager, hashes, () => deleteRows(manager, BlobHolderEntity, held));
    this.database.onCommit(() => this.collector.wake());
    return this.references.counted(manager, holders.filter(hasUser));
  }

  /** Rows have no user any more. @returns as `remove` */
  async disown(manager: EntityManager, kind: string, holderIds: readonly number[]): Promise<BytesOfUsers> {
    const held = { kind, holderId: In([...holderIds]) };
    const holders = await findRows(manager, BlobHolderEntity, held);
    await updateRows(manager, BlobHolderEntity, { userId: null }, held);
    return this.references.counted(manager, holders.filter(hasUser));
  }
}

function hasUser(holder: BlobHolderEntity): holder is BlobHolderEntity & { userId: number } {
  return holder.userId !== null;
}
