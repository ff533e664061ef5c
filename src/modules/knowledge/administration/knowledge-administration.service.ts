import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ContentAccessConfig } from '../../../config/content-access.config';
import { Database } from '../../../database/database';
import { findPage, findRow } from '../../../database/statements/find';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { lockRows } from '../../../database/statements/row-lock';
import { containsText } from '../../../database/statements/text-search';
import { UserDirectoryQuery } from '../../user/user.api';
import { EntryTexts, type TextPart } from '../collections/entry-texts';
import { type FoundStore, ReadableStores } from '../collections/readable-stores';
import { sharerOf, type StoreFields, StoresService } from '../collections/stores.service';
import { UploadedFileNotFoundError } from '../files/file.errors';
import { knowledgeAudit } from '../knowledge.audit';
import { KnowledgeNotFoundError } from '../knowledge.errors';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';

/** Which collections the list has. */
export interface AdminStoreFilter {
  text?: string;
  /** 0: those of the service. */
  ownerId?: number;
}

/** The members that administrators change. */
export type AdminStoreChanges = Partial<Pick<StoreFields, 'access' | 'ownerId' | 'trusted'>>;

/** Shows administrators all collections without their text, and changes who owns and reads them. */
@Injectable()
export class KnowledgeAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly config: ContentAccessConfig,
    private readonly events: DomainEvents,
    private readonly stores: StoresService,
    private readonly readable: ReadableStores,
    private readonly texts: EntryTexts,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** All collections but those of conversations, the newest first. */
  async page(
    { text, ownerId }: AdminStoreFilter,
    part: { limit: number; offset: number },
  ): Promise<ListPart<FoundStore>> {
    const { manager } = this.database;
    const owner: RowCondition[] =
      ownerId === undefined
        ? []
        : [
            ownerId === 0
              ? { condition: 'owner_id IS NULL', parameters: [] }
              : { condition: 'owner_id = ?', parameters: [ownerId] },
          ];
    const where = allOf(
      { condition: 'chat_id IS NULL', parameters: [] },
      ...owner,
      ...(text ? [containsText(manager, 'name', text)] : []),
    );
    const { items, total } = await findPage(manager, KnowledgeStoreEntity, where, { ...part, order: { id: 'DESC' } });
    return { items: items.map(asOwner), total };
  }

  /** @throws KnowledgeNotFoundError */
  async get(id: number): Promise<FoundStore> {
    const store = await findRow(this.database.manager, KnowledgeStoreEntity, { id, chatId: IsNull() });
    if (store === null) {
      throw new KnowledgeNotFoundError();
    }
    return asOwner(store);
  }

  /**
   * Changes who owns, reads and vouches for a collection. If that lets the administrator read the collection of another
   * user, or act as its owner for the service, it needs a reason, and the operator must allow it.
   *
   * @throws KnowledgeNotFoundError, ForbiddenError; ValidationFailedError for an owner without an open account, a group
   * that does not exist, or a missing reason
   */
  async update(
    principal: Principal,
    id: number,
    changes: AdminStoreChanges,
    reason: string | undefined,
  ): Promise<FoundStore> {
    const { ownerId } = changes;
    if (typeof ownerId === 'number' && (await this.users.usernames([ownerId])).size === 0) {
      throw ValidationFailedError.of('owner_id', 'not_offered');
    }
    const reads = async (): Promise<boolean> => (await this.readable.levelOf(principal.userId, id)) > 0;
    const store = await this.database.write(async (manager) => {
      await lockRows(manager, KnowledgeStoreEntity, [id]);
      const { store: before } = await this.get(id);
      const couldRead = await reads();
      const changed = await this.stores.change(manager, sharerOf(principal), id, changes, reason);
      // An administrator has the owner's actions in a collection of the service: the next one could be to share it.
      const gainsAccess = !couldRead && (changed.ownerId === null || (await reads()));
      if (gainsAccess && before.ownerId !== null) {
        this.requireContentAccess();
        if (reason === undefined) {
          throw ValidationFailedError.of('reason', 'required');
        }
      }
      return changed;
    });
    return asOwner(store);
  }

  /**
   * A part of a file's text. Nothing is returned before the log entry is committed.
   *
   * @throws ForbiddenError unless ADMIN_CONTENT_ACCESS is on; KnowledgeNotFoundError, UploadedFileNotFoundError,
   * KnowledgeFileNotReadyError
   */
  async readText(id: number, fileId: number, reason: string, start: number, end?: number): Promise<TextPart> {
    this.requireContentAccess();
    const { store } = await this.get(id);
    const entry = await findRow(this.database.manager, KnowledgeEntryEntity, { storeId: id, fileId });
    if (entry === null) {
      throw new UploadedFileNotFoundError();
    }
    const about = { file_id: fileId };
    const change = { id, userId: store.ownerId, before: null, after: null, about, reason };
    await this.database.write((manager) => this.events.publish(manager, knowledgeAudit.change('read', change)));
    return this.texts.partOf(entry, start, end);
  }

  /** @throws ForbiddenError */
  private requireContentAccess(): void {
    if (!this.config.ADMIN_CONTENT_ACCESS) {
      throw new ForbiddenError();
    }
  }
}

/** Administrators see what owners see of a collection, except its text. */
function asOwner(store: KnowledgeStoreEntity): FoundStore {
  return { store, role: 'owner', readsText: false };
}
