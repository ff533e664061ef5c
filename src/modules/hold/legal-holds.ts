import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../common/clock';
import { type DomainEvent, DomainEvents } from '../../common/events/domain-events';
import { isSqlite } from '../../database/connection/dialect';
import { Database } from '../../database/database';
import { findRows, rowExists } from '../../database/statements/find';
import { insertBatch } from '../../database/statements/insert';
import { idBatches } from '../../database/statements/rows-by-id';
import { runStatement } from '../../database/statements/run-statement';
import { LegalHoldCopyEntity, LegalHoldEntity, LegalHoldUserEntity } from './legal-hold.entity';

const COVERED = 'hold.covered';

/** Users whom a hold covers from now on. */
interface NewlyCovered {
  hold: LegalHoldEntity;
  userIds: readonly number[];
}

/** SQL: whether an active hold covers the user whose id is in a column. False for NULL. */
export function isHeldUser(column: string): string {
  return (
    'EXISTS (SELECT 1 FROM legal_hold_users held_user ' +
    `WHERE held_user.user_id = ${column} AND held_user.is_active = 1)`
  );
}

/** SQL: whether an active hold of scope `chat` names the conversation whose id is in a column. False for NULL. */
export function isHeldChat(column: string): string {
  return (
    "EXISTS (SELECT 1 FROM legal_holds held_chat WHERE held_chat.scope = 'chat' " +
    `AND held_chat.scope_id = ${column} AND held_chat.status = 'active')`
  );
}

/** SQL: whether a hold keeps a row that belongs to a user and a conversation. Either may be NULL. */
export function isHeld(userColumn: string, chatColumn: string): string {
  return `(${isHeldUser(userColumn)} OR ${isHeldChat(chatColumn)})`;
}

/**
 * What legal holds keep. A transaction that deletes data for good first calls `lockForDeletion`, and then deletes only
 * what is not held. So a hold that is created while it runs begins after it, and one that has begun is seen by it.
 */
@Injectable()
export class LegalHolds {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Within `Database.write`, after locking the rows to delete and before reading which of them are held: no hold begins
   * until this transaction ends. Deletions do not wait for each other.
   */
  async lockForDeletion(manager: EntityManager): Promise<void> {
    if (!isSqlite(manager)) {
      // Both MySQL and MariaDB know this older form of FOR SHARE.
      await runStatement(manager, 'SELECT id FROM legal_hold_lock WHERE id = 1 LOCK IN SHARE MODE', []);
    }
  }

  /** Within `Database.write`: waits for deletions that are running. Later ones wait, and then see the new hold. */
  async lockForCreation(manager: EntityManager): Promise<void> {
    if (!isSqlite(manager)) {
      await runStatement(manager, 'SELECT id FROM legal_hold_lock WHERE id = 1 FOR UPDATE', []);
    }
  }

  /**
   * Calls the listener for users whom a hold begins to cover, in the transaction that creates the hold or adds them to
   * its group.
   */
  onCovered(listener: (manager: EntityManager, covered: NewlyCovered) => Promise<void>): void {
    this.events.on(COVERED, ({ data }, manager) => listener(manager, data as NewlyCovered));
  }

  /** The users among these whom an active hold covers. */
  async heldUsers(manager: EntityManager, userIds: readonly number[]): Promise<Set<number>> {
    const held = new Set<number>();
    for (const ids of idBatches([...new Set(userIds)])) {
      const where = { userId: In(ids), isActive: true };
      const rows = await findRows(manager, LegalHoldUserEntity, where, { members: ['userId'] });
      rows.forEach(({ userId }) => held.add(userId));
    }
    return held;
  }

  /** The conversations among these that an active hold keeps: by itself, or by its owner. */
  async heldChats(manager: EntityManager, chats: readonly { id: number; userId: number }[]): Promise<Set<number>> {
    const users = await this.heldUsers(
      manager,
      chats.map(({ userId }) => userId),
    );
    const held = new Set(chats.filter(({ userId }) => users.has(userId)).map(({ id }) => id));
    for (const ids of idBatches(chats.map(({ id }) => id).filter((id) => !held.has(id)))) {
      const where = { scope: 'chat' as const, scopeId: In(ids), status: 'active' as const };
      const rows = await findRows(manager, LegalHoldEntity, where, { members: ['scopeId'] });
      rows.forEach(({ scopeId }) => held.add(scopeId));
    }
    return held;
  }

  /** The ids of the active holds that cover these users. Users without one are left out. */
  async holdsOfUsers(userIds: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
    const where = { userId: In([...userIds]), isActive: true };
    const rows = await findRows(this.database.manager, LegalHoldUserEntity, where, { order: { holdId: 'ASC' } });
    return grouped(rows.map(({ userId, holdId }) => [userId, holdId]));
  }

  /** The ids of the active holds that cover these conversations. Conversations without one are left out. */
  async holdsOfChats(chats: readonly { id: number; userId: number }[]): Promise<ReadonlyMap<number, number[]>> {
    const ofUsers = await this.holdsOfUsers(chats.map(({ userId }) => userId));
    const where = { scope: 'chat' as const, scopeId: In(chats.map(({ id }) => id)), status: 'active' as const };
    const rows = await findRows(this.database.manager, LegalHoldEntity, where, { members: ['id', 'scopeId'] });
    const own = rows.map(({ id, scopeId }) => [scopeId, id] as const);
    const byOwner = chats.flatMap(({ id, userId }) => (ofUsers.get(userId) ?? []).map((hold) => [id, hold] as const));
    return grouped([...own, ...byOwner]);
  }

  /** Whether an active hold covers the members of a group. */
  coversGroup(manager: EntityManager, groupId: number): Promise<boolean> {
    return rowExists(manager, LegalHoldEntity, { scope: 'group', scopeId: groupId, status: 'active' });
  }

  /**
   * Within `Database.write`: the active holds of a group, which the transaction has locked, cover these users from now
   * on, even after they leave.
   */
  async coverMembers(manager: EntityManager, groupId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) {
      return;
    }
    if (!(await this.coversGroup(manager, groupId))) {
      return;
    }
    await this.lockForCreation(manager);
    // Read with the lock, because a hold may have ended since then.
    const ofGroup = { scope: 'group' as const, scopeId: groupId, status: 'active' as const };
    for (const hold of await findRows(manager, LegalHoldEntity, ofGroup)) {
      await this.cover(manager, hold, userIds);
    }
  }

  /** Within `Database.write`, with the lock for a creation. Users whom the hold already covers are left out. */
  async cover(manager: EntityManager, hold: LegalHoldEntity, userIds: readonly number[]): Promise<void> {
    const since = this.clock.now();
    for (const ids of idBatches(userIds)) {
      const where = { holdId: hold.id, userId: In(ids) };
      const present = await findRows(manager, LegalHoldUserEntity, where, { members: ['userId'] });
      const known = new Set(present.map(({ userId }) => userId));
      const added = ids.filter((id) => !known.has(id));
      const rows = added.map((userId) => ({ holdId: hold.id, userId, isActive: true, since }));
      await insertBatch(manager, LegalHoldUserEntity, rows);
      const data = { hold, userIds: added };
      const covered: DomainEvent<NewlyCovered> = { type: COVERED, userId: null, data, isInternal: true };
      await this.events.publish(manager, covered);
    }
  }

  /** Within `Database.write`: keeps copies of rows of held users that the transaction deletes. */
  async keepCopies(
    manager: EntityManager,
    copies: readonly Pick<LegalHoldCopyEntity, 'userId' | 'chatId' | 'kind' | 'data'>[],
  ): Promise<void> {
    const deletedAt = this.clock.now();
    await insertBatch(
      manager,
      LegalHoldCopyEntity,
      copies.map((copy) => ({ ...copy, deletedAt })),
    );
  }
}

function grouped(pairs: readonly (readonly [key: number, value: number])[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [key, value] of pairs) {
    groups.set(
      key,
      [...(groups.get(key) ?? []), value].sort((one, other) => one - other),
    );
  }
  return groups;
}
