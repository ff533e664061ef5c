import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { idList } from '../../../database/statements/rows-by-id';
import { runForRow } from '../../../database/statements/run-statement';
import { isHeldUser, LegalHolds } from '../../hold/hold.api';
import { type Removed, RetainedData, RetentionDirectory } from '../../retention/retention.api';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { FileStore } from './file.store';

/** Files in one transaction, each with its entries. */
const BATCH = 50;

/** SQL: whether a group or every user can read a collection with the file. @param file SQL of the id */
function isShared(file: string): string {
  return (
    'EXISTS (SELECT 1 FROM knowledge_entries kept_entry ' +
    'JOIN knowledge_stores kept_store ON kept_store.id = kept_entry.store_id ' +
    `WHERE kept_entry.file_id = ${file} AND kept_store.chat_id IS NULL AND (kept_store.everyone = 'reader' OR EXISTS ` +
    '(SELECT 1 FROM knowledge_store_groups kept_share WHERE kept_share.store_id = kept_store.id)))'
  );
}

/**
 * Files of the service without a collection are unreachable, and removed without a policy. With IS NULL, SQLite would
 * take the index on the conversation, and read all files.
 */
const MAY_GO =
  'COALESCE(knowledge_files.chat_id, 0) = 0 AND (knowledge_files.owner_id IS NOT NULL OR EXISTS ' +
  '(SELECT 1 FROM knowledge_entries any_entry WHERE any_entry.file_id = knowledge_files.id)) ' +
  `AND NOT ${isShared('knowledge_files.id')}`;

/** Deletes uploads by retention policies, except for those in collections that others can read. */
@Injectable()
export class ExpiredFiles {
  constructor(
    private readonly database: Database,
    private readonly store: FileStore,
    private readonly holds: LegalHolds,
    private readonly directory: RetentionDirectory,
    data: RetainedData,
  ) {
    data.add<KnowledgeFileEntity>({
      kind: 'files',
      entity: KnowledgeFileEntity,
      id: 'id',
      at: 'createdAt',
      owner: 'knowledge_files.owner_id',
      held: isHeldUser('knowledge_files.owner_id'),
      hidesHeld: true,
      condition: () => ({ condition: MAY_GO, parameters: [] }),
      batch: BATCH,
      measure: (manager, due) => this.measure(manager, due),
      remove: (ids, due) => this.remove(ids, due),
    });
  }

  /** When files will be deleted, by their ids: by their own expiry or by a policy, whichever comes first. */
  async expiryOf(
    userId: number,
    files: readonly KnowledgeFileEntity[],
  ): Promise<(file: KnowledgeFileEntity) => Date | null> {
    if (files.length === 0 || !this.directory.has('files')) {
      return ({ expiresAt }) => expiresAt;
    }
    // Others see the same time in a collection; only the owner's groups count.
    const ownerId = files[0]?.ownerId ?? userId;
    const expiry = await this.directory.expiry('files', ownerId);
    const ids = idList(files.map(({ id }) => id));
    const { manager } = this.database;
    const sql = `SELECT id AS id FROM knowledge_files WHERE id IN ${ids} AND ${isShared('knowledge_files.id')}`;
    const shared = new Set((await queryRows<{ id: number }>(manager, sql, [])).map(({ id }) => Number(id)));
    return ({ id, createdAt, expiresAt }) => {
      const due = shared.has(id) ? null : expiry(createdAt);
      return due === null || (expiresAt !== null && expiresAt < due) ? expiresAt : due;
    };
  }

  private async measure(manager: EntityManager, { condition, parameters }: RowCondition): Promise<{ bytes: number }> {
    const sum = `SELECT SUM(knowledge_files.bytes) FROM knowledge_files WHERE ${condition}`;
    const [bytes] = (await runForRow(manager, sum, parameters)) ?? [];
    return { bytes: Number(bytes ?? 0) };
  }

  private remove(ids: number[], due: RowCondition): Promise<Removed> {
    return this.database.write(async (manager) => {
      const locked = await this.store.lock(manager, { id: In(ids) });
      const still = await findRows(manager, KnowledgeFileEntity, allOf(idIn(ids, 'knowledge_files.id'), due), {
        members: ['id'],
      });
      const dueIds = new Set(still.map(({ id }) => id));
      const files = locked.filter(({ id }) => dueIds.has(id));
      await this.holds.lockForDeletion(manager);
      const owners = files.flatMap(({ ownerId }) => ownerId ?? []);
      const held = await this.holds.heldUsers(manager, owners);
      // Held files are only hidden from their owners.
      await this.store.remove(manager, files);
      const free = files.filter(({ ownerId }) => ownerId === null || !held.has(ownerId));
      const bytes = free.reduce((sum, file) => sum + file.bytes, 0);
      return { deleted: { files: free.length, bytes }, held: files.length - free.length };
    });
  }
}
