import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertBatch, insertRow, upsertRows } from '../../../database/statements/insert';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { countedBytesOf } from '../../../integrations/blob-store/blob.entity';
import { BlobReferences, type BytesOfUsers, type MessageBlobs } from '../../../integrations/blob-store/blob-references';
import { UserLimits } from '../quota/plan.service';
import type { Spender } from '../quota/quota.service';
import { StorageQuotaExceededError } from '../quota/usage.errors';
import { UsageAccountEntity } from '../quota/usage-account.entity';
import { openAccount } from '../quota/usage-account-statements';
import { StoredMetadataEntity } from './stored-metadata.entity';
import { StoredTextEntity } from './stored-text.entity';

/** The user who stores something. */
export type Keeper = Pick<Spender, 'userId' | 'tier'>;

/** The files and texts that a new message stores. */
export interface KeptMessage extends MessageBlobs {
  /** Bytes of its texts that count; 0 for messages that are limited by their number. */
  textBytes: number;
}

// A single conditional statement, so that parallel writers never exceed the limit.
const KEEP = 'UPDATE usage_accounts SET stored_bytes = stored_bytes + ? WHERE user_id = ? AND stored_bytes <= ? - ?';
const RELEASE =
  'UPDATE usage_accounts SET stored_bytes = CASE WHEN stored_bytes > ? THEN stored_bytes - ? ELSE 0 END WHERE user_id = ?';

/**
 * Limits what users store, in bytes: their uploads, the distinct files of their messages that are no uploads, and what clients store as items of
 * conversations and responses, or as metadata. The user's counters hold the sum. It changes in the transaction that
 * stores or erases, and `blob_references`, `usage_stored_texts` and `usage_stored_metadata` record each part, so it
 * never drifts.
 *
 * `requireQuota` and `requireBytes` are early checks before costly work. `add` enforces the limit.
 */
@Injectable()
export class StorageService {
  constructor(
    private readonly database: Database,
    private readonly limits: UserLimits,
    private readonly references: BlobReferences,
  ) {}

  /**
   * Call it before files of unknown size are fetched or decoded.
   *
   * @throws StorageQuotaExceededError when the storage is full
   */
  async requireQuota(keeper: Keeper): Promise<void> {
    const { storage: limit } = await this.limits.of(keeper.userId, keeper.tier);
    const used = limit === null ? 0 : await this.used(this.database.manager, keeper.userId);
    if (limit !== null && used >= limit) {
      throw new StorageQuotaExceededError(limit, used);
    }
  }

  /**
   * Call it before files or long texts are stored.
   *
   * @param files size in bytes by hash
   * @throws StorageQuotaExceededError
   */
  async requireBytes(keeper: Keeper, files: ReadonlyMap<string, number>, textBytes: number): Promise<void> {
    const { storage: limit } = await this.limits.of(keeper.userId, keeper.tier);
    if (limit === null) {
      return;
    }
    const hashes = [...files.keys()];
    const known = hashes.length === 0 ? new Set() : await this.references.ofUser(keeper.userId, hashes);
    const added = [...files].reduce(
      (sum, [hash, bytes]) => sum + (known.has(hash) ? 0 : countedBytesOf(bytes)),
      textBytes,
    );
    const used = await this.used(this.database.manager, keeper.userId);
    if (added > 0 && used + added > limit) {
      throw new StorageQuotaExceededError(limit, used);
    }
  }

  /**
   * Counts the files and texts of new messages. Call it within `Database.write`, before the message is taken from the
   * user's quota.
   *
   * @throws StorageQuotaExceededError; ServiceUnavailableError when a file was erased since it was stored
   */
  async add(manager: EntityManager, keeper: Keeper, messages: readonly KeptMessage[]): Promise<void> {
    const texts = messages.filter(({ textBytes }) => textBytes > 0);
    const ofTexts = texts.reduce((sum, { textBytes }) => sum + textBytes, 0);
    const bytes = ofTexts + (await this.references.add(manager, keeper.userId, messages));
    if (bytes > 0) {
      await this.take(manager, keeper, bytes);
    }
    const { userId } = keeper;
    const rows = texts.map(({ messageId, textBytes }) => ({ messageId, userId, bytes: textBytes }));
    await insertBatch(manager, StoredTextEntity, rows);
  }

  /**
   * Counts a change of a message's text length, if its text counts. Call it within `Database.write`, with the message
   * locked.
   *
   * @param bytes the change; a negative number releases storage
   * @throws StorageQuotaExceededError
   */
  async changeText(manager: EntityManager, keeper: Keeper, messageId: number, bytes: number): Promise<void> {
    if (bytes === 0 || !(await rowExists(manager, StoredTextEntity, { messageId }))) {
      return;
    }
    await (bytes > 0 ? this.take(manager, keeper, bytes) : release(manager, new Map([[keeper.userId, -bytes]])));
    await updateRows(manager, StoredTextEntity, {}, { messageId }, [], { bytes });
  }

  /**
   * Counts text that a message stores regardless of the limit, such as a tool's result. It can exceed the limit. Call
   * it within `Database.write`, by one writer of the message at a time.
   */
  async keepText(manager: EntityManager, userId: number, messageId: number, bytes: number): Promise<void> {
    await openAccount(manager, userId);
    await execute(manager, KEEP, [bytes, userId, Number.MAX_SAFE_INTEGER, bytes]);
    if ((await updateRows(manager, StoredTextEntity, {}, { messageId }, [], { bytes })) === 0) {
      await insertRow(manager, StoredTextEntity, { messageId, userId, bytes });
    }
  }

  /** Releases up to this number of bytes of a message's texts. Call it within `Database.write`. */
  async releaseTexts(manager: EntityManager, userId: number, messageId: number, bytes: number): Promise<void> {
    // Locks the counters first, as `keepText` does.
    await openAccount(manager, userId);
    const kept = await findRow(manager, StoredTextEntity, { messageId }, { lock: 'wait' });
    if (kept !== null) {
      const freed = Math.min(bytes, kept.bytes);
      await (freed === kept.bytes
        ? deleteRows(manager, StoredTextEntity, { messageId })
        : updateRows(manager, StoredTextEntity, {}, { messageId }, [], { bytes: -freed }));
      await release(manager, new Map([[userId, freed]]));
    }
  }

  /** Releases the storage of erased messages. Call it within `Database.write`, after erasing the messages. */
  async remove(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    await this.release(manager, messageIds, await this.references.remove(manager, messageIds));
  }

  /** Messages stay stored, but do not count for their users any more. Call it within `Database.write`. */
  async disown(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    await this.release(manager, messageIds, await this.references.disown(manager, messageIds));
  }

  private async release(manager: EntityManager, messageIds: readonly number[], freed: BytesOfUsers): Promise<void> {
    const ofMessages = { messageId: In([...messageIds]) };
    const texts = await findRows(manager, StoredTextEntity, ofMessages);
    if (texts.length > 0) {
      await deleteRows(manager, StoredTextEntity, ofMessages);
    }
    await release(manager, addUp(texts, freed));
  }

  /**
   * Sets the size of a conversation's metadata. Call it within `Database.write`.
   *
   * @throws StorageQuotaExceededError
   */
  async keepMetadata(manager: EntityManager, keeper: Keeper, chatId: number, bytes: number): Promise<void> {
    const { userId } = keeper;
    // Locks the counters, so that the second of two concurrent changes sees the first.
    await openAccount(manager, userId);
    const before = (await findRow(manager, StoredMetadataEntity, { chatId }))?.bytes ?? 0;
    if (bytes > before) {
      await this.take(manager, keeper, bytes - before);
    } else {
      await release(manager, new Map([[userId, before - bytes]]));
    }
    await upsertRows(manager, StoredMetadataEntity, [{ chatId, userId, bytes }], ['chatId']);
  }

  /** Releases the storage of erased conversations. Call it within `Database.write`. */
  async removeMetadata(manager: EntityManager, chatIds: readonly number[]): Promise<void> {
    const ofChats = { chatId: In([...chatIds]) };
    const kept = await findRows(manager, StoredMetadataEntity, ofChats);
    if (kept.length > 0) {
      await deleteRows(manager, StoredMetadataEntity, ofChats);
      await release(manager, addUp(kept));
    }
  }

  /**
   * Counts files of messages that an earlier version stored, regardless of the limit.
   *
   * @param userOf the user of each such message
   */
  async adopt(manager: EntityManager, userOf: ReadonlyMap<number, number>): Promise<void> {
    await this.keepBytes(manager, await this.references.setUsers(manager, userOf));
  }

  /** Counts bytes regardless of the limit. Call it within `Database.write`. */
  async keepBytes(manager: EntityManager, kept: BytesOfUsers): Promise<void> {
    for (const [userId, bytes] of inOrder(kept)) {
      await openAccount(manager, userId);
      await execute(manager, KEEP, [bytes, userId, Number.MAX_SAFE_INTEGER, bytes]);
    }
  }

  /**
   * Counts bytes that another module stores, and records in its own rows. Call it within `Database.write`.
   *
   * @throws StorageQuotaExceededError
   */
  async addBytes(manager: EntityManager, keeper: Keeper, bytes: number): Promise<void> {
    await this.take(manager, keeper, bytes);
  }

  /** Releases bytes that `addBytes` counted. Call it within `Database.write`. */
  async removeBytes(manager: EntityManager, freed: BytesOfUsers): Promise<void> {
    await release(manager, freed);
  }

  /** Locks the user's counters until the transaction ends, so that concurrent requests count what the user has in turn. */
  async lockCounters(manager: EntityManager, userId: number): Promise<void> {
    await openAccount(manager, userId);
  }

  private async take(manager: EntityManager, { userId, tier }: Keeper, bytes: number): Promise<void> {
    const { storage: limit } = await this.limits.of(userId, tier);
    const values = [bytes, userId, limit ?? Number.MAX_SAFE_INTEGER, bytes];
    if ((await execute(manager, KEEP, values)).affected === 1) {
      return;
    }
    // The user has no counters yet, or the limit is reached. `openAccount` creates and locks the row, so its value is
    // exact.
    await openAccount(manager, userId);
    if ((await execute(manager, KEEP, values)).affected === 0) {
      throw new StorageQuotaExceededError(limit ?? 0, await this.used(manager, userId));
    }
  }

  private async used(manager: EntityManager, userId: number): Promise<number> {
    return (await findRow(manager, UsageAccountEntity, { userId }))?.storedBytes ?? 0;
  }
}

async function release(manager: EntityManager, freed: BytesOfUsers): Promise<void> {
  for (const [userId, bytes] of inOrder(freed)) {
    await execute(manager, RELEASE, [bytes, bytes, userId]);
  }
}

/** @param sums the bytes of the rows are added to these */
function addUp(
  rows: readonly Pick<StoredTextEntity, 'userId' | 'bytes'>[],
  sums: BytesOfUsers = new Map(),
): BytesOfUsers {
  rows.forEach(({ userId, bytes }) => sums.set(userId, (sums.get(userId) ?? 0) + bytes));
  return sums;
}

/** All writers lock the counters of several users in the same order, to avoid deadlocks. */
function inOrder(bytes: BytesOfUsers): [number, number][] {
  return [...bytes].filter(([, each]) => each > 0).sort(([one], [other]) => one - other);
}
