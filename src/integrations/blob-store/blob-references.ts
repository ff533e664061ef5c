import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../common/clock';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { Database } from '../../database/database';
import { insertBatch } from '../../database/row-statements';
import { BlobEntity } from './blob.entity';
import { BlobCollector } from './blob-collector';
import { BlobReferenceEntity } from './blob-reference.entity';

/** Which messages need which blobs. Call all methods within `Database.write`, beside the change of the messages. */
@Injectable()
export class BlobReferences {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly collector: BlobCollector,
  ) {}

  /**
   * A new message refers to blobs.
   *
   * @param hashes the same one may stand there several times
   * @throws ServiceUnavailableError when one was erased since it was stored; the request may be sent again
   */
  async add(manager: EntityManager, messageId: number, hashes: readonly string[]): Promise<void> {
    const distinct = [...new Set(hashes)].sort();
    if (distinct.length === 0) {
      return;
    }
    // It locks the rows, so that nobody erases them before the commit.
    const change = { isReferenced: true, touchedAt: this.clock.now() };
    const { affected } = await manager.update(BlobEntity, { hash: In(distinct) }, change);
    if ((affected ?? (await manager.countBy(BlobEntity, { hash: In(distinct) }))) < distinct.length) {
      throw new ServiceUnavailableError(new Error('A blob was erased before a message referred to it.'));
    }
    const references = distinct.map((hash) => ({ messageId, hash }));
    await insertBatch(manager, BlobReferenceEntity, references);
  }

  /** The next messages that refer to blobs, in the order of their ids. */
  async messagesAfter(messageId: number, limit: number): Promise<number[]> {
    const rows = await this.database
      .repository(BlobReferenceEntity)
      .createQueryBuilder('reference')
      .select('reference.message_id', 'id')
      .distinct()
      .where('reference.message_id > :messageId', { messageId })
      .orderBy('reference.message_id')
      .limit(limit)
      .getRawMany<{ id: number }>();
    return rows.map(({ id }) => Number(id));
  }

  /** These messages are erased. Blobs that only they needed are erased soon after the commit. */
  async remove(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    const references = await manager.findBy(BlobReferenceEntity, { messageId: In([...messageIds]) });
    const hashes = [...new Set(references.map(({ hash }) => hash))].sort();
    if (hashes.length === 0) {
      return;
    }
    // Two removals at once would each see the other's reference, and nobody would erase the blob.
    await manager.update(BlobEntity, { hash: In(hashes) }, { isReferenced: true });
    await manager.delete(BlobReferenceEntity, { messageId: In([...messageIds]) });
    await manager
      .createQueryBuilder()
      .update(BlobEntity)
      .set({ isReferenced: false })
      .where({ hash: In(hashes) })
      .andWhere('NOT EXISTS (SELECT 1 FROM blob_references WHERE blob_references.hash = blobs.hash)')
      .execute();
    this.database.onCommit(() => this.collector.wake());
  }
}
