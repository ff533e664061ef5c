import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { isAdministrator, type Principal } from '../../../common/security/principal';
import type { StatementValue } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import type { RowCondition } from '../../../database/statements/row-condition';
import { idList } from '../../../database/statements/rows-by-id';
import { runForRow } from '../../../database/statements/run-statement';
import { isUserBannedSql } from '../../user/user.api';
import { KnowledgeNotFoundError, KnowledgeRoleRequiredError } from '../knowledge.errors';
import { KnowledgeStoreEntity, STORE_ROLES, type StoreRole } from '../tables/knowledge-store.entity';

/** A collection, and what the caller may do there. */
export interface FoundStore {
  store: KnowledgeStoreEntity;
  role: StoreRole;
  /** False for an administrator who acts for the service, without being a reader. */
  readsText: boolean;
}

/** Rows with the id of a collection and a level: the position of a role, from 1. The last one is the highest. */
const OWNER_LEVEL = STORE_ROLES.length;

/** Three parameters: the user, the user, the time. @param one restricts the rows of each source */
function readable(one = ''): string {
  const ofOwner = `SELECT id, ${OWNER_LEVEL} AS level FROM knowledge_stores WHERE owner_id = ?${one && ` AND id ${one}`}`;
  const ofAll = `SELECT id, 1 AS level FROM knowledge_stores WHERE everyone = 'reader'${one && ` AND id ${one}`}`;
  const ofGroups =
    "SELECT share.store_id AS id, CASE WHEN share.role = 'editor' THEN 2 ELSE 1 END AS level " +
    'FROM user_group_members member JOIN knowledge_store_groups share ON share.group_id = member.group_id ' +
    `WHERE member.user_id = ?${one && ` AND share.store_id ${one}`}`;
  return (
    `SELECT granted.id AS id, MAX(granted.level) AS level FROM (${ofOwner} UNION ALL ${ofAll} UNION ALL ${ofGroups}) ` +
    'AS granted JOIN knowledge_stores store ON store.id = granted.id WHERE store.chat_id IS NULL ' +
    `AND (granted.level = ${OWNER_LEVEL} OR NOT ${isUserBannedSql('store.owner_id')}) GROUP BY granted.id`
  );
}

const ALL = readable();
const ONE = readable('= ?');

/** Whether a collection has not expired. @param store the alias of `knowledge_stores` */
export function livingStore(store: string, now: Date): RowCondition {
  return {
    condition: `${store}.expired_at IS NULL AND (${store}.expires_at IS NULL OR ${store}.expires_at > ?)`,
    parameters: [now],
  };
}

/**
 * Which collections a user may read, decided by the database with each query: the user's own ones, those that every user
 * may read, and those of the user's groups. Those of a banned owner are hidden from others.
 */
@Injectable()
export class ReadableStores {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * SQL that selects the `id` of each readable collection and the user's `level` there, with a `?` for each of the
   * parameters. Join it with other tables, so that nothing else is read.
   *
   * @example `FROM (${sql}) AS readable JOIN knowledge_entries entry ON entry.store_id = readable.id`
   */
  of(userId: number): { sql: string; parameters: StatementValue[] } {
    return { sql: ALL, parameters: [userId, userId, this.clock.now()] };
  }

  /**
   * Whether a user sees an entry's file: it has not expired, and its owner is not banned.
   *
   * @param file the alias of `knowledge_files`
   */
  visibleFile(file: string, userId: number): RowCondition {
    const now = this.clock.now();
    return {
      condition:
        `(${file}.expires_at IS NULL OR ${file}.expires_at > ?) AND ` +
        `(${file}.owner_id IS NULL OR ${file}.owner_id = ? OR NOT ${isUserBannedSql(`${file}.owner_id`)})`,
      parameters: [now, userId, now],
    };
  }

  /** Whether the user finds an entry's file in a collection. @param file the alias of `knowledge_files` */
  sharedFile(file: string, userId: number): RowCondition {
    const { sql, parameters } = this.of(userId);
    const living = livingStore('holder', this.clock.now());
    return {
      condition:
        `EXISTS (SELECT 1 FROM knowledge_entries shared JOIN (${sql}) AS granting ON granting.id = shared.store_id ` +
        `JOIN knowledge_stores holder ON holder.id = shared.store_id ` +
        `WHERE shared.file_id = ${file}.id AND ${living.condition})`,
      parameters: [...parameters, ...living.parameters],
    };
  }

  /**
   * The collections whose text the user may read, the most recently active first.
   *
   * @param among null: all that have not expired
   */
  async idsOf(userId: number, among: readonly number[] | null, most: number): Promise<number[]> {
    if (among?.length === 0) {
      return [];
    }
    const { sql, parameters } = this.of(userId);
    const living = livingStore('store', this.clock.now());
    const selected =
      among === null
        ? living
        : { condition: `store.id IN ${idList(among)}`, parameters: [] satisfies StatementValue[] };
    const rows = await queryRows<{ id: number }>(
      this.database.manager,
      `SELECT store.id AS id FROM (${sql}) AS readable JOIN knowledge_stores store ON store.id = readable.id
       WHERE ${selected.condition} ORDER BY store.last_active_at DESC, store.id DESC LIMIT ?`,
      [...parameters, ...selected.parameters, most],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** The collections among these, at least one, that have not expired. */
  async livingAmong(ids: readonly number[]): Promise<number[]> {
    const living = livingStore('store', this.clock.now());
    const rows = await queryRows<{ id: number }>(
      this.database.manager,
      `SELECT store.id AS id FROM knowledge_stores store WHERE store.id IN ${idList(ids)} AND ${living.condition}`,
      living.parameters,
    );
    return rows.map(({ id }) => Number(id));
  }

  /** @throws KnowledgeNotFoundError if the caller may not read the collection, or there is none */
  async find(caller: Principal, id: number): Promise<FoundStore> {
    const { manager } = this.database;
    const { userId } = caller;
    const level = await this.levelOf(userId, id);
    const store = await findRow(manager, KnowledgeStoreEntity, { id, chatId: IsNull() });
    if (store !== null && store.ownerId === null && isAdministrator(caller, 'admin:write')) {
      return { store, role: 'owner', readsText: level > 0 };
    }
    const role = STORE_ROLES[level - 1];
    if (store === null || role === undefined) {
      throw new KnowledgeNotFoundError();
    }
    return { store, role, readsText: true };
  }

  /** @throws KnowledgeNotFoundError; KnowledgeRoleRequiredError if the caller has a lower role */
  async require(caller: Principal, id: number, role: StoreRole): Promise<FoundStore> {
    const found = await this.find(caller, id);
    if (STORE_ROLES.indexOf(found.role) < STORE_ROLES.indexOf(role)) {
      throw new KnowledgeRoleRequiredError(role);
    }
    return found;
  }

  /** Like `find`, for a request that returns text. @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError */
  async requireText(caller: Principal, id: number): Promise<FoundStore> {
    const found = await this.find(caller, id);
    if (!found.readsText) {
      throw new KnowledgeRoleRequiredError('reader');
    }
    return found;
  }

  /** The position of the user's role among `STORE_ROLES`, from 1; 0: the user may not read the collection. */
  async levelOf(userId: number, id: number): Promise<number> {
    const row = await runForRow(this.database.manager, ONE, [userId, id, id, userId, id, this.clock.now()]);
    return Number(row?.[1] ?? 0);
  }
}
