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

/** Who keeps something. */
export type Keeper = Pick<Spender, 'userId' | 'tier'>;

/** What a new message keeps. */
export interface KeptMessage extends MessageBlobs {
  /** Bytes of its texts that count; 0 for messages that are limited by their number. */
  textBytes: number;
}

// One conditional statement, so parallel writers never keep more than the limit.
const KEEP = 'UPDATE usage_accounts SET stored_bytes = stored_bytes + ? WHERE user_id = ? AND stored_bytes <= ? - ?';
const RELEASE =
  'UPDATE usage_accounts SET stored_bytes = CASE WHEN stored_bytes > ? THEN stored_bytes - ? ELSE 0 END WHERE user_id = ?';

/**
 * Limits what users keep: the files of their messages, each distinct one once, and what programs store as items of
 * conversations and responses, or keep with them, in bytes. The sum stands in the user's counters. It changes in the
 * transaction that stores or erases, and `blob_references`, `usage_stored_texts` and `usage_stored_metadata` know each part
 * of it, so it never drifts.
 *
 * `requireRoom` and `requireRoomFor` are asked before costly work; `add` decides.
 */
@Injectable()
export class StorageService {
  constructor(
    private readonly database: Database,
    private readonly limits: UserLimits,
    private readonly references: BlobReferences,
  ) {}

  /** Before files are fetched or decoded, whose sizes nobody knows yet. @throws StorageQuotaExceededError when it is full */
  async requireRoom(keeper: Keeper): Promise<void> {
    const { storage: limit } = await this.limits.of(keeper.userId, keeper.tier);
    const used = limit === null ? 0 : await this.used(this.database.manager, keeper.userId);
    if (limit !== null && used >= limit) {
      throw new StorageQuotaExceededError(limit, used);
    }
  }

  /**
   * Before files or long texts are stored.
   *
   * @param files their bytes, by hash
   * @throws StorageQuotaExceededError
   */
  async requireRoomFor(keeper: Keeper, files: ReadonlyMap<string, number>, textBytes: number): Promise<void> {
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
   * New messages keep files and texts. Call it within `Database.write`, before the user's quota of messages is taken.
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
   * The texts of a message get longer or shorter, where they count. Call it within `Database.write`, with the message
   * locked.
   *
   * @param bytes how many are added; less than 0: they are given back
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
   * Text that a message keeps whatever the limit is, such as what a tool has returned: then there is no room for more. Call it
   * within `Database.write`, by one writer of the message at a time.
   */
  async keepText(manager: EntityManager, userId: number, messageId: number, bytes: number): Promise<void> {
    await openAccount(manager, userId);
    await execute(manager, KEEP, [bytes, userId, Number.MAX_SAFE_INTEGER, bytes]);
    if ((await updateRows(manager, StoredTextEntity, {}, { messageId }, [], { bytes })) === 0) {
      await insertRow(manager, StoredTextEntity, { messageId, userId, bytes });
    }
  }

  /** A message keeps so many bytes of its texts less, if it has them. Call it within `Database.write`. */
  async giveBack(manager: EntityManager, userId: number, messageId: number, bytes: number): Promise<void> {
    // As for `keepText`: the counters are locked first.
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

  /** These messages are erased. Call it within `Database.write`, after the messages. */
  async remove(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    const freed = await this.references.remove(manager, messageIds);
    const ofMessages = { messageId: In([...messageIds]) };
    const texts = await findRows(manager, StoredTextEntity, ofMessages);
    if (texts.length > 0) {
      await deleteRows(manager, StoredTextEntity, ofMessages);
    }
    await release(manager, addUp(texts, freed));
  }

  /**
   * What a program keeps with a conversation has so many bytes from now on. Call it within `Database.write`.
   *
   * @throws StorageQuotaExceededError
   */
  async keepMetadata(manager: EntityManager, keeper: Keeper, chatId: number, bytes: number): Promise<void> {
    const { userId } = keeper;
    // It locks the counters: of two changes at once, the second one knows of the first.
    await openAccount(manager, userId);
    const before = (await findRow(manager, StoredMetadataEntity, { chatId }))?.bytes ?? 0;
    if (bytes > before) {
      await this.take(manager, keeper, bytes - before);
    } else {
      await release(manager, new Map([[userId, before - bytes]]));
    }
    await upsertRows(manager, StoredMetadataEntity, [{ chatId, userId, bytes }], ['chatId']);
  }

  /** These conversations are erased. Call it within `Database.write`. */
  async removeMetadata(manager: EntityManager, chatIds: readonly number[]): Promise<void> {
    const ofChats = { chatId: In([...chatIds]) };
    const kept = await findRows(manager, StoredMetadataEntity, ofChats);
    if (kept.length > 0) {
      await deleteRows(manager, StoredMetadataEntity, ofChats);
      await release(manager, addUp(kept));
    }
  }

  /**
   * Counts files of messages that an earlier version stored, whatever the limit is.
   *
   * @param userOf the users of such messages, by message
   */
  async adopt(manager: EntityManager, userOf: ReadonlyMap<number, number>): Promise<void> {
    for (const [userId, bytes] of inOrder(await this.references.setUsers(manager, userOf))) {
      await openAccount(manager, userId);
      await execute(manager, KEEP, [bytes, userId, Number.MAX_SAFE_INTEGER, bytes]);
    }
  }

  private async take(manager: EntityManager, { userId, tier }: Keeper, bytes: number): Promise<void> {
    const { storage: limit } = await this.limits.of(userId, tier);
    const values = [bytes, userId, limit ?? Number.MAX_SAFE_INTEGER, bytes];
    if ((await execute(manager, KEEP, values)).affected === 1) {
      return;
    }
    // The user has no counters yet, or no room. Now the row is there and locked, and its number is exact.
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

/** @param sums to which the bytes of the rows are added */
function addUp(
  rows: readonly Pick<StoredTextEntity, 'userId' | 'bytes'>[],
  sums: BytesOfUsers = new Map(),
): BytesOfUsers {
  rows.forEach(({ userId, bytes }) => sums.set(userId, (sums.get(userId) ?? 0) + bytes));
  return sums;
}

/** Everybody locks counters of several users in the same order. */
function inOrder(bytes: BytesOfUsers): [number, number][] {
  return [...bytes].filter(([, each]) => each > 0).sort(([one], [other]) => one - other);
}
