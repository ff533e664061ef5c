import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { API_KEY_PREFIX, ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { ApiKeyExpiredError, ApiKeyInvalidError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { countRows, findRow } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { PrincipalService } from '../../user/user.api';
import { apiKeyAudit } from './api-key.audit';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeyNotFoundError, TooManyApiKeysError } from './api-key.errors';
import { apiKeyCreated, apiKeyRevoked } from './api-key.events';
import { ApiKeyRetention } from './api-key.retention';

/** Most keys in memory, about 1 KB each. */
const MOST_KEYS_IN_MEMORY = 10_000;

/**
 * Identifies the caller with an API key, usually without a query. The key's rights are cached here, and those of its
 * owner by `PrincipalService`. Code that changes a key calls `forget` in the transaction. Then this instance knows of
 * the change immediately, the others with the message over Redis, and all of them within five seconds.
 */
@Injectable()
export class ApiKeyIdentities extends ApiKeyIdentity {
  private readonly keys: SharedCache<string, ApiKeyEntity | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    redis: RedisConnection,
    private readonly principals: PrincipalService,
    private readonly retention: ApiKeyRetention,
  ) {
    super();
    const load = (hash: string): Promise<ApiKeyEntity | null> => this.load(hash);
    this.keys = new SharedCache({ channel: 'api-keys', load, mostKeys: MOST_KEYS_IN_MEMORY, database, redis });
  }

  override async principalOf(text: string): Promise<Principal> {
    if (!isKeyText(text)) {
      throw new ApiKeyInvalidError();
    }
    return this.principalOfHash(hashOfKey(text));
  }

  override async principalOfHash(hash: string): Promise<Principal> {
    const key = await this.keys.get(hash);
    if (key === null || !isTextOf(key, hash, this.clock.now())) {
      throw new ApiKeyInvalidError();
    }
    return this.callerOf(key, hash);
  }

  override reread(hash: string): void {
    this.keys.reread(hash);
  }

  /** Within `Database.write`: after the commit, requests with the key use its new state. */
  forget({ secretHash, previousHash }: Pick<ApiKeyEntity, 'secretHash' | 'previousHash'>): void {
    for (const hash of [secretHash, previousHash]) {
      if (hash !== null) {
        this.keys.forgetOnCommit(hash);
      }
    }
  }

  /** Time-dependent facts are evaluated for each request, not when the key was read. */
  private async callerOf(key: ApiKeyEntity, apiKeyHash: string): Promise<Principal> {
    const user = isActive(key, this.clock.now()) ? await this.principals.ofUser(key.userId) : null;
    if (user === null) {
      throw new ApiKeyInvalidError();
    }
    if (hasPassed(await this.principals.findKeyEnd(key.userId), this.clock.now())) {
      throw new ApiKeyExpiredError();
    }
    this.retention.note(key.id);
    const { id: apiKeyId, scopes, requestsPerMinute, tokensPerDay, identityProviderId } = key;
    const own = { apiKeyId, apiKeyHash, scopes, requestsPerMinute, tokensPerDay, identityProviderId };
    return { ...user, sessionId: null, ...own };
  }

  private load(hash: string): Promise<ApiKeyEntity | null> {
    return findRow(this.database.manager, ApiKeyEntity, [{ secretHash: hash }, { previousHash: hash }]);
  }
}

/** Whether the key was neither revoked nor has expired. Its owner may still have lost access. */
export function isActive({ revokedAt, expiresAt }: Pick<ApiKeyEntity, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Whether the hash is that of the key's text, or of the text before the last rotation while that still works. */
export function isTextOf(
  { secretHash, previousHash, previousUntil }: Pick<ApiKeyEntity, 'secretHash' | 'previousHash' | 'previousUntil'>,
  hash: string,
  now: Date,
): boolean {
  return hash === secretHash || (hash === previousHash && previousUntil !== null && previousUntil > now);
}

/** False if there is no end. */
function hasPassed(end: Date | null, now: Date): boolean {
  return end !== null && end <= now;
}

/** Most keys of a user. */
const MOST_KEYS = 50;

const PREFIX_LENGTH = 7;

/** A key and its text, which is not stored. */
export interface KeyWithText {
  key: ApiKeyEntity;
  text: string;
}

/** The properties of a key that its owner sets. */
export type KeyFields = Pick<
  ApiKeyEntity,
  'name' | 'scopes' | 'requestsPerMinute' | 'tokensPerDay' | 'expiresAt' | 'identityProviderId'
>;

/** Selects a key. `userId` is the required owner; null: any owner. */
export interface KeyOfUser {
  id: number;
  userId: number | null;
}

/**
 * Creates, changes and ends keys. Each change applies with its commit on all instances, and is logged and published.
 * All methods run within `Database.write`.
 */
@Injectable()
export class ApiKeyStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly identities: ApiKeyIdentities,
  ) {}

  /**
   * Lock the owner first, so that concurrent requests cannot exceed the limit.
   *
   * @throws TooManyApiKeysError
   */
  async add(manager: EntityManager, userId: number, createdBy: number, fields: KeyFields): Promise<KeyWithText> {
    if ((await countRows(manager, ApiKeyEntity, { userId, revokedAt: IsNull() })) >= MOST_KEYS) {
      throw new TooManyApiKeysError(MOST_KEYS);
    }
    const { text, ...secret } = newSecret();
    const key = await insertEntity(manager, ApiKeyEntity, {
      ...fields,
      ...secret,
      userId,
      createdBy,
      previousHash: null,
      previousUntil: null,
      createdAt: this.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    await this.events.publish(manager, apiKeyCreated(key));
    await this.events.publish(manager, apiKeyAudit.change('create', { id: key.id, userId, before: null, after: key }));
    return { key, text };
  }

  /** @throws ApiKeyNotFoundError */
  async change(manager: EntityManager, before: ApiKeyEntity, changes: Partial<KeyFields>): Promise<ApiKeyEntity> {
    return this.update(manager, 'update', before, changes);
  }

  /** Replaces the key's text. The current one works until `previousUntil`, any earlier one no longer. */
  async rotate(manager: EntityManager, before: ApiKeyEntity, previousUntil: Date): Promise<KeyWithText> {
    const { text, ...secret } = newSecret();
    const isGraced = previousUntil > this.clock.now();
    const previous = {
      previousHash: isGraced ? before.secretHash : null,
      previousUntil: isGraced ? previousUntil : null,
    };
    return { key: await this.update(manager, 'rotate', before, { ...secret, ...previous }), text };
  }

  /** @throws ApiKeyNotFoundError */
  async revoke(manager: EntityManager, which: KeyOfUser, revokedBy: number): Promise<ApiKeyEntity> {
    const before = await this.lock(manager, which);
    const key = await this.update(manager, 'revoke', before, { revokedAt: this.clock.now() });
    await this.events.publish(manager, apiKeyRevoked(key, revokedBy));
    return key;
  }

  /** Locks the key until the transaction ends. @throws ApiKeyNotFoundError */
  async lock(manager: EntityManager, { id, userId }: KeyOfUser): Promise<ApiKeyEntity> {
    const key = await findLocked(manager, ApiKeyEntity, {
      id,
      revokedAt: IsNull(),
      ...(userId !== null && { userId }),
    });
    if (!key) {
      throw new ApiKeyNotFoundError();
    }
    return key;
  }

  private async update(
    manager: EntityManager,
    verb: string,
    before: ApiKeyEntity,
    changes: Partial<ApiKeyEntity>,
  ): Promise<ApiKeyEntity> {
    const { id, userId } = before;
    await updateRows(manager, ApiKeyEntity, changes, { id });
    const after = { ...before, ...changes };
    this.identities.forget(before);
    this.identities.forget(after);
    await this.events.publish(manager, apiKeyAudit.change(verb, { id, userId, before, after }));
    return after;
  }
}

function newSecret(): Pick<ApiKeyEntity, 'secretHash' | 'prefix' | 'lastFour'> & { text: string } {
  const text = newKeyText();
  return { text, secretHash: hashOfKey(text), prefix: text.slice(0, PREFIX_LENGTH), lastFour: text.slice(-4) };
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base-62 digits of 256 bits. */
const RANDOM_DIGITS = 43;

/** Base-62 digits of 32 bits. */
const CHECK_DIGITS = 6;

const FORM = new RegExp(`^${API_KEY_PREFIX}[${DIGITS}]{${RANDOM_DIGITS + CHECK_DIGITS}}$`);

/**
 * A new key: `ck_`, 256 random bits in base 62, and the CRC-32 of the preceding characters. The prefix and the checksum
 * let source code scanners find leaked keys.
 */
export function newKeyText(): string {
  const body = API_KEY_PREFIX + inBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_DIGITS);
  return body + checkOf(body);
}

/** Whether a text may be a key. It detects mistyped keys without a query. */
export function isKeyText(text: string): boolean {
  return FORM.test(text) && checkOf(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS);
}

/**
 * The form in which a key is stored and found: its SHA-256 in hexadecimal. It needs no salt, because 256 random bits
 * cannot be guessed.
 */
export function hashOfKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function checkOf(body: string): string {
  return inBase62(BigInt(crc32(body)), CHECK_DIGITS);
}

function inBase62(value: bigint, length: number): string {
  let rest = value;
  let digits = '';
  for (let place = 0; place < length; place++) {
    digits = DIGITS.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}
