import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In, IsNull, LessThanOrEqual } from 'typeorm';
import type { BackgroundLoop } from '../../common/background/background-loop';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { Lifecycle } from '../../common/lifecycle';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { insertBatch } from '../../database/statements/insert';
import { allOf, idIn } from '../../database/statements/row-condition';
import { runStatement } from '../../database/statements/run-statement';
import { updateRows } from '../../database/statements/update';
import { BlobEntity } from './blob.entity';
import { BlobHolderEntity } from './blob-holder.entity';
import { BlobReferenceEntity } from './blob-reference.entity';
import { BlobStore, deadSince } from './blob-store';

/** How long an unreferenced blob is kept after it was last stored. */
const UNUSED_MILLISECONDS = HOUR_MILLISECONDS;

/** Most blobs of one query. */
const BATCH = 100;

/** After so many failures, the store is probably unavailable. */
const MOST_FAILURES = 10;

/** Erases unreferenced blobs. Several instances may do so concurrently: each blob is erased by one of them. */
@Injectable()
export class BlobCollector {
  private readonly logger = new Logger(BlobCollector.name);
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly store: BlobStore,
    private readonly clock: SharedClock,
    private readonly lifecycle: Lifecycle,
    background: BackgroundWork,
  ) {
    this.loop = background.add({
      step: () => this.collect(),
      onError: (error) => this.logger.warn({ error }, 'Files that nobody needs any more could not be erased.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Call it after references were removed. */
  wake(): void {
    this.loop.wake();
  }

  /**
   * Erases all unreferenced blobs. One that cannot be erased does not keep the others.
   *
   * @throws ServiceUnavailableError between two blobs if the process shuts down, and while the store is unavailable
   */
  async collect(): Promise<null> {
    const failures: unknown[] = [];
    for (let found = BATCH; found === BATCH;) {
      const until = new Date(this.clock.now().getTime() - UNUSED_MILLISECONDS);
      const unused = await findRows(
        this.database.manager,
        BlobEntity,
        { isReferenced: false, touchedAt: LessThanOrEqual(until) },
        { order: { touchedAt: 'ASC' }, limit: BATCH, offset: failures.length },
      );
      for (const { hash } of unused) {
        this.lifecycle.assertAcceptsWork();
        await this.store.deleteUnused(hash, until).catch((error: unknown) => failures.push(error));
        if (failures.length === MOST_FAILURES) {
          throw failures[0];
        }
      }
      found = unused.length;
    }
    if (failures.length > 0) {
      throw failures[0];
    }
    return null;
  }
}

const IS_UNREFERENCED =
  'NOT EXISTS (SELECT 1 FROM blob_references WHERE blob_references.hash = blobs.hash) ' +
  'AND NOT EXISTS (SELECT 1 FROM blob_holders WHERE blob_holders.hash = blobs.hash)';

const MESSAGES_AFTER =
  'SELECT DISTINCT message_id FROM blob_references WHERE message_id > ? ORDER BY message_id LIMIT ?';

/** The user of references that count for no one. Null means that they are not counted yet. */
const NO_USER = 0;

/** A message and the blobs it needs. A blob may be listed several times. */
export interface MessageBlobs {
  messageId: number;
  hashes: readonly string[];
}

/** Bytes of blobs, by user. */
export type BytesOfUsers = Map<number, number>;

export interface BlobOfUser {
  userId: number;
  hash: string;
}

/**
 * Which messages need which blobs, and their owners. A blob counts once for each user. Call the methods with a manager
 * within `Database.write`, in the transaction that changes the messages. They lock the rows of the blobs, so that
 * concurrent transactions about the same blob see each other's changes.
 */
@Injectable()
export class BlobReferences {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly collector: BlobCollector,
  ) {}

  /**
   * Adds the references of a user's new messages to blobs.
   *
   * @returns bytes of the blobs that no other message of the user needs
   * @throws ServiceUnavailableError if a blob was erased since it was stored; the client may send the request again
   */
  async add(manager: EntityManager, userId: number, messages: readonly MessageBlobs[]): Promise<number> {
    const distinct = sortedHashes(messages.flatMap(({ hashes }) => hashes));
    if (distinct.length === 0) {
      return 0;
    }
    await this.hold(manager, distinct);
    const added = await bytesWithoutReference(
      manager,
      distinct.map((hash) => ({ userId, hash })),
    );
    const references = messages.flatMap(({ messageId, hashes }) =>
      [...new Set(hashes)].map((hash) => ({ messageId, hash, userId })),
    );
    await insertBatch(manager, BlobReferenceEntity, references);
    return added.get(userId) ?? 0;
  }

  /**
   * Locks blobs that a new row needs, so that no other instance erases them before the commit.
   *
   * @param hashes distinct and sorted
   * @throws ServiceUnavailableError if a blob was erased since it was stored; the client may send the request again
   */
  async hold(manager: EntityManager, hashes: readonly string[]): Promise<void> {
    const now = this.clock.now();
    const isFree = { condition: '(erasing_at IS NULL OR erasing_at <= ?)', parameters: [deadSince(now)] };
    const change = { isReferenced: true, touchedAt: now, erasingAt: null };
    const affected = await updateRows(manager, BlobEntity, change, allOf(idIn(hashes, 'hash'), isFree));
    if (affected < hashes.length) {
      throw new ServiceUnavailableError(new Error('A blob was erased before a row referred to it.'));
    }
  }

  /** Removes what refers to blobs. The collector erases those that nothing refers to any more. */
  async release(manager: EntityManager, hashes: readonly string[], removal: () => Promise<unknown>): Promise<void> {
    const distinct = sortedHashes(hashes);
    // Two concurrent removals would each see the other's reference, and neither would erase the blob.
    await lockBlobs(manager, distinct);
    await removal();
    const unreferenced = allOf(idIn(distinct, 'hash'), { condition: IS_UNREFERENCED, parameters: [] });
    await updateRows(manager, BlobEntity, { isReferenced: false }, unreferenced);
  }

  /** The blobs among these that already count for the user. */
  async ofUser(userId: number, hashes: readonly string[]): Promise<Set<string>> {
    const { manager } = this.database;
    const ofUser = { userId, hash: In([...hashes]) };
    const references = await findRows(manager, BlobReferenceEntity, ofUser, { members: ['hash'] });
    const holders = await findRows(manager, BlobHolderEntity, ofUser, { members: ['hash'] });
    return new Set([...references, ...holders].map(({ hash }) => hash));
  }

  /** Bytes of the blobs among these that count for their users because of messages. */
  counted(manager: EntityManager, pairs: readonly BlobOfUser[]): Promise<BytesOfUsers> {
    return bytesOf(manager, pairs, ({ hasMessage, hasHolder }) => hasMessage && !hasHolder);
  }

  /** The next messages with references to blobs, in the order of their ids. */
  async nextMessages(messageId: number, limit: number): Promise<number[]> {
    const { rows } = await runStatement(this.database.manager, MESSAGES_AFTER, [messageId, limit]);
    return rows.map(([id]) => Number(id));
  }

  /** Some messages whose references have no user, because an earlier version stored them. */
  async messagesWithoutUser(limit: number): Promise<number[]> {
    const found = await findRows(
      this.database.manager,
      BlobReferenceEntity,
      { userId: IsNull() },
      { members: ['messageId'], limit },
    );
    return [...new Set(found.map(({ messageId }) => messageId))];
  }

  /** Sets the owners of the messages that `messagesWithoutUser` found. @returns bytes that now count for them */
  async setUsers(manager: EntityManager, userOf: ReadonlyMap<number, number>): Promise<BytesOfUsers> {
    const found = { messageId: In([...userOf.keys()]), userId: IsNull() };
    await lockBlobs(manager, hashesOf(await findRows(manager, BlobReferenceEntity, found)));
    // Messages may have been erased since they were found.
    const references = await findRows(manager, BlobReferenceEntity, found);
    const pairs = references.map(({ messageId, hash }) => ({ userId: userOf.get(messageId) as number, hash }));
    const added = await bytesWithoutReference(manager, pairs);
    for (const userId of new Set(userOf.values())) {
      const ids = references.map(({ messageId }) => messageId).filter((id) => userOf.get(id) === userId);
      await updateRows(manager, BlobReferenceEntity, { userId }, { messageId: In(ids), userId: IsNull() });
    }
    return added;
  }

  /**
   * Removes the references of erased messages. Blobs that only they needed are erased soon after the commit.
   *
   * @returns bytes of the blobs that their users no longer need
   */
  async remove(manager: EntityManager, messageIds: readonly number[]): Promise<BytesOfUsers> {
    // A concurrent removal of the same references waits, and then finds none.
    const ofMessages = { messageId: In([...messageIds]) };
    const references = await findRows(manager, BlobReferenceEntity, ofMessages, { lock: 'wait' });
    const hashes = hashesOf(references);
    if (hashes.length === 0) {
      return new Map();
    }
    await this.release(manager, hashes, () => deleteRows(manager, BlobReferenceEntity, ofMessages));
    this.database.onCommit(() => this.collector.wake());
    return bytesWithoutReference(manager, references.filter(isCounted));
  }

  /**
   * Messages stay stored, but do not count for their users any more.
   *
   * @returns bytes of the blobs that their users no longer need
   */
  async disown(manager: EntityManager, messageIds: readonly number[]): Promise<BytesOfUsers> {
    const ofMessages = { messageId: In([...messageIds]) };
    const references = await findRows(manager, BlobReferenceEntity, ofMessages, { lock: 'wait' });
    await lockBlobs(manager, hashesOf(references));
    await updateRows(manager, BlobReferenceEntity, { userId: NO_USER }, ofMessages);
    return bytesWithoutReference(manager, references.filter(isCounted));
  }
}

function sortedHashes(hashes: readonly string[]): string[] {
  return [...new Set(hashes)].sort();
}

function hashesOf(references: readonly Pick<BlobReferenceEntity, 'hash'>[]): string[] {
  return sortedHashes(references.map(({ hash }) => hash));
}

function isCounted(reference: BlobReferenceEntity): reference is BlobReferenceEntity & BlobOfUser {
  return reference.userId !== null && reference.userId !== NO_USER;
}

async function lockBlobs(manager: EntityManager, hashes: readonly string[]): Promise<void> {
  await updateRows(manager, BlobEntity, { isReferenced: true }, { hash: In([...hashes]) });
}

/** Bytes of the blobs that neither a message nor another row of their user needs. */
function bytesWithoutReference(manager: EntityManager, pairs: readonly BlobOfUser[]): Promise<BytesOfUsers> {
  return bytesOf(manager, pairs, ({ hasMessage, hasHolder }) => !hasMessage && !hasHolder);
}

/** Bytes of the selected blobs, each once for a user. */
async function bytesOf(
  manager: EntityManager,
  pairs: readonly BlobOfUser[],
  selects: (need: { hasMessage: boolean; hasHolder: boolean }) => boolean,
): Promise<BytesOfUsers> {
  const bytes: BytesOfUsers = new Map();
  if (pairs.length === 0) {
    return bytes;
  }
  const hash = In([...new Set(pairs.map((pair) => pair.hash))]);
  const userId = In([...new Set(pairs.map((pair) => pair.userId))]);
  const blobs = await findRows(manager, BlobEntity, { hash }, { members: ['hash', 'bytes', 'countedBytes'] });
  const references = await findRows(manager, BlobReferenceEntity, { userId, hash }, { members: ['userId', 'hash'] });
  const holders = await findRows(manager, BlobHolderEntity, { userId, hash }, { members: ['userId', 'hash'] });
  const sizes = new Map(blobs.map((blob) => [blob.hash, blob.countedBytes ?? blob.bytes]));
  const [inMessages, held] = [new Set(references.map(keyOf)), new Set(holders.map(keyOf))];
  const distinct = new Map(pairs.map((pair) => [keyOf(pair), pair]));
  for (const [key, pair] of distinct) {
    if (selects({ hasMessage: inMessages.has(key), hasHolder: held.has(key) })) {
      bytes.set(pair.userId, (bytes.get(pair.userId) ?? 0) + (sizes.get(pair.hash) ?? 0));
    }
  }
  return bytes;
}

function keyOf({ userId, hash }: { userId: number | null; hash: string }): string {
  return `${userId} ${hash}`;
}
