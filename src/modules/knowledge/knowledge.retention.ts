import { Injectable, Logger } from '@nestjs/common';
import { IsNull, LessThanOrEqual } from 'typeorm';
import { Lifecycle } from '../../common/lifecycle';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { findRows } from '../../database/statements/find';
import { insertRow } from '../../database/statements/insert';
import { findLocked } from '../../database/statements/row-lock';
import { updateRows } from '../../database/statements/update';
import { isHeld } from '../hold/hold.api';
import { ErasurePauseConfig } from '../user/user.api';
import { PassageCleanup } from './collections/passage-cleanup';
import { isExpired } from './collections/store-activity';
import { StoresService } from './collections/stores.service';
import { FileStore } from './files/file.store';
import { UploadStore } from './files/upload.store';
import { KnowledgeFileEntity } from './tables/knowledge-file.entity';
import { KnowledgeRemovalEntity } from './tables/knowledge-removal.entity';
import { KnowledgeStoreEntity } from './tables/knowledge-store.entity';
import { KnowledgeUploadEntity } from './tables/knowledge-upload.entity';

/** How long an expired collection is kept without its entries. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** How long an upload is kept after it has ended, so that its repetitions get the same answer. */
const UPLOAD_KEPT_MILLISECONDS = DAY_MILLISECONDS;

const BATCH = 50;

/** A file of the service that left its last collection: no user can find it, and no legal hold keeps it. */
const UNREACHABLE = {
  condition:
    'owner_id IS NULL AND chat_id IS NULL ' +
    'AND NOT EXISTS (SELECT 1 FROM knowledge_entries entry JOIN knowledge_stores store ON store.id = entry.store_id ' +
    'WHERE entry.file_id = knowledge_files.id AND store.chat_id IS NULL) ' +
    `AND NOT ${isHeld('knowledge_files.held_owner_id', 'knowledge_files.held_chat_id')}`,
  parameters: [],
};

/** Removes files, collections and uploads whose time is over. Requests do not find them any more by then. */
@Injectable()
export class KnowledgeRetention {
  private readonly logger = new Logger(KnowledgeRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly lifecycle: Lifecycle,
    private readonly files: FileStore,
    private readonly uploads: UploadStore,
    private readonly stores: StoresService,
    private readonly cleanup: PassageCleanup,
    private readonly pause: ErasurePauseConfig,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.removeExpired(),
      onError: (error) => this.logger.warn({ error }, 'Expired files and collections could not be removed.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /** Removes everything that is due. */
  async removeExpired(): Promise<null> {
    // A restored backup may lack a legal hold that keeps them.
    if (this.pause.RETENTION_PAUSED) {
      return null;
    }
    const now = this.clock.now();
    await this.each(KnowledgeFileEntity, { expiresAt: LessThanOrEqual(now) }, (id) => this.removeFile(id));
    await this.each(KnowledgeFileEntity, UNREACHABLE, (id) => this.removeFile(id));
    await this.each(KnowledgeUploadEntity, { expiresAt: LessThanOrEqual(now), status: 'pending' }, (id) =>
      this.database.write((manager) => this.uploads.end(manager, id, 'cancelled')),
    );
    const longEnded = { expiresAt: LessThanOrEqual(new Date(now.getTime() - UPLOAD_KEPT_MILLISECONDS)) };
    await this.each(KnowledgeUploadEntity, longEnded, (id) =>
      this.database.write((manager) => this.uploads.remove(manager, [id])),
    );
    const due = { expiresAt: LessThanOrEqual(now), expiredAt: IsNull() };
    await this.each(KnowledgeStoreEntity, due, (id) => this.expire(id));
    const longAgo = { expiredAt: LessThanOrEqual(new Date(now.getTime() - KEPT_MILLISECONDS)) };
    await this.each(KnowledgeStoreEntity, longAgo, (id) =>
      this.database.write((manager) => this.stores.remove(manager, id)),
    );
    return null;
  }

  /** @param remove changes the row, so that it does not match any more */
  private async each<Row extends { id: number }>(
    entity: new () => Row,
    where: object,
    remove: (id: number) => Promise<unknown>,
  ): Promise<void> {
    for (let found = BATCH; found === BATCH;) {
      const rows = await findRows(this.database.manager, entity, where, { members: ['id'], limit: BATCH });
      for (const { id } of rows) {
        this.lifecycle.assertAcceptsWork();
        await remove(id);
      }
      found = rows.length;
    }
  }

  private removeFile(id: number): Promise<void> {
    return this.database.write(async (manager) => {
      await this.files.remove(manager, await this.files.lock(manager, { id }));
    });
  }

  /** The entries go, the files stay. */
  private expire(id: number): Promise<void> {
    return this.database.write(async (manager) => {
      const store = await findLocked(manager, KnowledgeStoreEntity, { id });
      const now = this.clock.now();
      if (store !== null && isExpired(store, now)) {
        await updateRows(manager, KnowledgeStoreEntity, { expiredAt: now }, { id });
        await insertRow(manager, KnowledgeRemovalEntity, { storeId: id, entryId: null });
        this.database.onCommit(() => this.cleanup.wake());
      }
    });
  }
}
