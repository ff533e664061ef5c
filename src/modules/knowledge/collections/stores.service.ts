import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import { DomainEvents } from '../../../common/events/domain-events';
import { isAdministrator, type Principal } from '../../../common/security/principal';
import { ForbiddenError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findRows } from '../../../database/statements/find';
import { insertEntity, insertRow } from '../../../database/statements/insert';
import type { Cursor } from '../../../database/statements/list-rows';
import { queryRows } from '../../../database/statements/query';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { findLocked } from '../../../database/statements/row-lock';
import { containsText } from '../../../database/statements/text-search';
import { updateRows } from '../../../database/statements/update';
import { AgentKnowledge } from '../../agent/agent.api';
import { IdempotencyService } from '../../generation/generation.api';
import { LegalHolds } from '../../hold/hold.api';
import { StorageService } from '../../usage/usage.api';
import { knowledgeAudit } from '../knowledge.audit';
import { KnowledgeConfig } from '../knowledge.config';
import { KnowledgeInUseError, KnowledgeLimitError, KnowledgeNotFoundError } from '../knowledge.errors';
import { storeEvent } from '../knowledge.events';
import { KnowledgeBatchEntity, KnowledgeBatchEntryEntity } from '../tables/knowledge-batch.entity';
import { KnowledgeRemovalEntity } from '../tables/knowledge-removal.entity';
import {
  KnowledgeStoreEntity,
  KnowledgeStoreGroupEntity,
  STORE_ROLES,
  type StoreRole,
} from '../tables/knowledge-store.entity';
import { type FoundStore, ReadableStores } from './readable-stores';
import { PRIVATE, type Sharer, type StoreAccess, StoreAccesses } from './store-access';
import { expiryOf } from './store-activity';

/** The fields of a collection that callers set. */
export interface StoreFields {
  name: string;
  description: string | null;
  metadata: Record<string, string>;
  access: StoreAccess;
  /** Days after the last activity; null: never. */
  expiresAfterDays: number | null;
  /** Only administrators. */
  trusted: boolean;
  /** Only administrators. Null: the service. */
  ownerId: number | null;
}

/** Which collections a list has. */
export interface StoreFilter {
  /** A part of the name. */
  text?: string;
  role?: StoreRole;
}

/** Collections: what the routes of both APIs do. */
@Injectable()
export class StoresService {
  constructor(
    private readonly database: Database,
    private readonly holds: LegalHolds,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly readable: ReadableStores,
    private readonly accesses: StoreAccesses,
    private readonly storage: StorageService,
    private readonly idempotency: IdempotencyService,
    private readonly config: KnowledgeConfig,
    private readonly agents: AgentKnowledge,
  ) {}

  /** The collections that the caller may read, the newest first. */
  async page(
    principal: Principal,
    filter: StoreFilter,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ListPart<FoundStore>> {
    const where = this.matching(filter);
    const items = await this.select(principal, where, 'ORDER BY store.id DESC LIMIT ? OFFSET ?', [limit, offset]);
    return { items, total: await this.count(principal, where) };
  }

  /** A page for lists with cursors, in the order of the ids. */
  async adjacentPage(
    principal: Principal,
    direction: 'ASC' | 'DESC',
    { after, before, limit }: Cursor & { limit: number },
  ): Promise<ListPart<FoundStore>> {
    const isBackward = after === undefined && before !== undefined;
    const readsUp = (direction === 'ASC') !== isBackward;
    const from = after ?? before;
    const beside =
      from === undefined ? allOf() : { condition: `store.id ${readsUp ? '>' : '<'} ?`, parameters: [from] };
    const order = `ORDER BY store.id ${readsUp ? 'ASC' : 'DESC'} LIMIT ?`;
    const items = await this.select(principal, beside, order, [limit]);
    return { items: isBackward ? items.toReversed() : items, total: await this.count(principal, allOf()) };
  }

  /** @throws KnowledgeNotFoundError */
  get(principal: Principal, id: number): Promise<FoundStore> {
    return this.readable.find(principal, id);
  }

  /**
   * @param body what identifies the request, if it has a key
   * @param also writes more in the same transaction, such as the first files
   * @throws ForbiddenError, KnowledgeLimitError, IdempotencyConflictError, errors of `StoreAccesses.set` and `also`;
   * KnowledgeNotFoundError if the request is repeated after the collection was deleted
   */
  async create(
    principal: Principal,
    fields: Partial<StoreFields>,
    { key, route, body }: { key: string | null; route: string; body: unknown },
    also: (manager: EntityManager, store: KnowledgeStoreEntity) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<FoundStore> {
    this.requireMayCreate(principal);
    const { userId } = principal;
    const request = { userId, key, route, body };
    const id = await this.idempotency.once(
      request,
      () =>
        this.database.write(async (manager) => {
          const store = await this.add(manager, principal, fields);
          await also(manager, store);
          await this.requireRoom(manager, userId);
          await this.idempotency.keep(manager, request, { chatId: store.id, userMessageId: null, messageId: null });
          return store.id;
        }),
      // The key's row names the collection where it names a conversation for a message.
      ({ chatId }) => Promise.resolve(chatId),
    );
    return this.get(principal, id);
  }

  /**
   * Changes the given fields. It is the owner's right.
   *
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, and the errors of `change`
   */
  async update(
    principal: Principal,
    id: number,
    fields: Partial<Omit<StoreFields, 'ownerId' | 'trusted'>>,
  ): Promise<FoundStore> {
    await this.readable.require(principal, id, 'owner');
    await this.database.write((manager) => this.change(manager, sharerOf(principal), id, fields));
    return this.get(principal, id);
  }

  /**
   * Changes the given fields of a collection of any owner. Call it within `Database.write`.
   *
   * @throws KnowledgeNotFoundError, and the errors of `StoreAccesses.set`
   */
  async change(
    manager: EntityManager,
    by: Sharer,
    id: number,
    { access, ...fields }: Partial<StoreFields>,
    reason?: string,
  ): Promise<KnowledgeStoreEntity> {
    const before = await findLocked(manager, KnowledgeStoreEntity, { id, chatId: IsNull() });
    if (before === null) {
      throw new KnowledgeNotFoundError();
    }
    const groups = (await this.accesses.groupsOf([id], manager)).get(id) ?? [];
    if (access !== undefined) {
      await this.accesses.set(manager, by, id, { everyone: before.everyone, groups }, access);
    }
    const changes = {
      ...fields,
      ...(access && { everyone: access.everyone }),
      ...(fields.expiresAfterDays !== undefined && {
        expiresAt:
          before.expiredAt === null ? expiryOf(fields.expiresAfterDays, before.lastActiveAt) : before.expiresAt,
      }),
      updatedAt: this.clock.now(),
    };
    await updateRows(manager, KnowledgeStoreEntity, changes, { id });
    const after = { ...before, ...changes };
    await this.events.publish(manager, storeEvent('updated', after));
    const [was, is] = [
      { ...before, groups },
      { ...after, groups: access?.groups ?? groups },
    ];
    const entry = { id, userId: before.ownerId, before: was, after: is, reason };
    await this.events.publish(manager, knowledgeAudit.change('update', entry));
    return after;
  }

  /**
   * Deletes a collection; its files stay. It is the owner's right.
   *
   * @param force also if agents use it
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, KnowledgeInUseError
   */
  async delete(principal: Principal, id: number, force: boolean): Promise<void> {
    await this.readable.require(principal, id, 'owner');
    await this.deleteStore(id, force, isAdministrator(principal, 'admin:read'));
  }

  /** Deletes a collection of any owner. @throws KnowledgeNotFoundError, KnowledgeInUseError */
  async deleteStore(id: number, force: boolean, namesAgents: boolean): Promise<void> {
    const agents = force ? [] : await this.agents.agentsOf(id);
    if (agents.length > 0) {
      throw new KnowledgeInUseError(namesAgents ? agents : null);
    }
    await this.database.write((manager) => this.remove(manager, id));
  }

  /** Within `Database.write`: from the commit on, no request finds the collection. Its rows follow in the background. */
  async remove(manager: EntityManager, id: number): Promise<void> {
    const store = await findLocked(manager, KnowledgeStoreEntity, { id });
    if (store === null) {
      throw new KnowledgeNotFoundError();
    }
    const groups = (await this.accesses.groupsOf([id], manager)).get(id) ?? [];
    await deleteRows(manager, KnowledgeStoreGroupEntity, { storeId: id });
    const ofStore = 'batch_id IN (SELECT id FROM knowledge_batches WHERE store_id = ?)';
    await deleteRows(manager, KnowledgeBatchEntryEntity, ofStore, [id]);
    await deleteRows(manager, KnowledgeBatchEntity, { storeId: id });
    await this.keepHeld(manager, store);
    await deleteRows(manager, KnowledgeStoreEntity, { id });
    await insertRow(manager, KnowledgeRemovalEntity, { storeId: id, entryId: null });
    if (store.chatId !== null) {
      return;
    }
    await this.events.publish(manager, storeEvent('deleted', store));
    const entry = { id, userId: store.ownerId, before: { ...store, groups }, after: null };
    await this.events.publish(manager, knowledgeAudit.change('delete', entry));
  }

  /** Within `Database.write`: keeps a copy of a collection that its owner loses while a legal hold covers the owner. */
  async keepHeld(
    manager: EntityManager,
    { id, ownerId, name, description, createdAt }: KnowledgeStoreEntity,
  ): Promise<void> {
    await this.holds.lockForDeletion(manager);
    if (ownerId !== null && (await this.holds.heldUsers(manager, [ownerId])).has(ownerId)) {
      const data = { id, name, description, created_at: createdAt.toISOString() };
      await this.holds.keepCopies(manager, [{ userId: ownerId, chatId: null, kind: 'collection', data }]);
    }
  }

  private requireMayCreate({ tier, userType }: Principal): void {
    const { KNOWLEDGE_CREATE: who } = this.config;
    const mayCreate = who === 'everyone' || userType === 'admin' || (who === 'paid' && tier !== 'normal');
    if (!mayCreate) {
      throw new ForbiddenError();
    }
  }

  private async add(
    manager: EntityManager,
    principal: Principal,
    { access = PRIVATE, ...fields }: Partial<StoreFields>,
  ): Promise<KnowledgeStoreEntity> {
    const { userId: ownerId } = principal;
    const now = this.clock.now();
    const { name = '', description = null, metadata = {}, expiresAfterDays = null } = fields;
    const store = await insertEntity(manager, KnowledgeStoreEntity, {
      ownerId,
      chatId: null,
      name,
      description,
      metadata,
      everyone: access.everyone,
      trusted: false,
      lastActiveAt: now,
      expiresAfterDays,
      expiresAt: expiryOf(expiresAfterDays, now),
      expiredAt: null,
      createdAt: now,
      updatedAt: now,
    });
    await this.accesses.set(manager, sharerOf(principal), store.id, PRIVATE, access);
    await this.events.publish(manager, storeEvent('created', store));
    const entry = { id: store.id, userId: ownerId, before: null, after: { ...store, groups: access.groups } };
    await this.events.publish(manager, knowledgeAudit.change('create', entry));
    return store;
  }

  /**
   * After a collection was added. The counters are locked after its files, as in a deletion.
   *
   * @throws KnowledgeLimitError
   */
  private async requireRoom(manager: EntityManager, ownerId: number): Promise<void> {
    const { KNOWLEDGE_PER_USER: limit } = this.config;
    await this.storage.lockCounters(manager, ownerId);
    if ((await countRows(manager, KnowledgeStoreEntity, { ownerId, chatId: IsNull() })) > limit) {
      throw new KnowledgeLimitError('stores', limit);
    }
  }

  private matching({ text, role }: StoreFilter): RowCondition {
    const level = role === undefined ? [] : [STORE_ROLES.indexOf(role) + 1];
    return allOf(
      ...(text ? [containsText(this.database.manager, 'store.name', text)] : []),
      ...level.map((parameter) => ({ condition: 'readable.level = ?', parameters: [parameter] })),
    );
  }

  private async select(
    { userId }: Principal,
    where: RowCondition,
    rest: string,
    parameters: number[],
  ): Promise<FoundStore[]> {
    const { manager } = this.database;
    const { sql, parameters: caller } = this.readable.of(userId);
    const found = await queryRows<{ id: number; level: number | string }>(
      manager,
      `SELECT store.id AS id, readable.level AS level FROM (${sql}) AS readable
       JOIN knowledge_stores store ON store.id = readable.id WHERE ${where.condition} ${rest}`,
      [...caller, ...where.parameters, ...parameters],
    );
    const stores = await findRows(manager, KnowledgeStoreEntity, idIn(found.map(({ id }) => Number(id))));
    return found.flatMap(({ id, level }) => {
      const store = stores.find((one) => one.id === Number(id));
      const role = STORE_ROLES[Number(level) - 1];
      return store && role ? [{ store, role, readsText: true }] : [];
    });
  }

  private async count({ userId }: Principal, { condition, parameters }: RowCondition): Promise<number> {
    const { sql, parameters: caller } = this.readable.of(userId);
    const [row] = await queryRows<{ total: number | string }>(
      this.database.manager,
      `SELECT COUNT(*) AS total FROM (${sql}) AS readable
       JOIN knowledge_stores store ON store.id = readable.id WHERE ${condition}`,
      [...caller, ...parameters],
    );
    return Number(row?.total ?? 0);
  }
}

export function sharerOf(principal: Principal): Sharer {
  return { userId: principal.userId, isAdministrator: isAdministrator(principal, 'admin:write') };
}
