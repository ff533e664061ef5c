import { Injectable } from '@nestjs/common';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { ApiKeyInvalidError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { PrincipalService } from '../../user/user.api';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeyRetention } from './api-key.retention';
import { hashOfKey, isKeyText } from './key-text';

/** Keys that are kept in memory at most, about 1 KB each. */
const MOST_KEYS = 10_000;

/** The name under which a key is found by its id; otherwise it is found by its hash. */
const BY_ID = '#';

/**
 * Tells who calls with an API key, usually without a query. What the key may do is remembered here, and what its owner may
 * do by `PrincipalService`. Whoever changes a key calls `forget` in the transaction: then this instance knows of the change
 * at once, the others as soon as Redis tells them, and all of them within five seconds.
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
    const load = (name: string): Promise<ApiKeyEntity | null> => this.load(name);
    this.keys = new SharedCache({ channel: 'api-keys', load, mostKeys: MOST_KEYS, database, redis });
  }

  override async principalOf(text: string): Promise<Principal> {
    if (!isKeyText(text)) {
      throw new ApiKeyInvalidError();
    }
    const hash = hashOfKey(text);
    const key = await this.keys.get(hash);
    if (key === null || (key.secretHash !== hash && !isLater(key.previousUntil, this.clock.now()))) {
      throw new ApiKeyInvalidError();
    }
    return this.callerOf(key);
  }

  override async principalOfId(id: number): Promise<Principal> {
    return this.callerOf(await this.keys.get(`${BY_ID}${id}`));
  }

  /** Within `Database.write`: from the commit on, requests with the key are answered by its new state. */
  forget({ id, secretHash, previousHash }: Pick<ApiKeyEntity, 'id' | 'secretHash' | 'previousHash'>): void {
    for (const name of [`${BY_ID}${id}`, secretHash, previousHash]) {
      if (name !== null) {
        this.keys.forgetOnCommit(name);
      }
    }
  }

  /** What depends on the time is worked out for each request, not when the key was read. */
  private async callerOf(key: ApiKeyEntity | null): Promise<Principal> {
    const isLive = key !== null && key.revokedAt === null && !hasPassed(key.expiresAt, this.clock.now());
    const user = isLive ? await this.principals.ofUser(key.userId) : null;
    if (!isLive || user === null) {
      throw new ApiKeyInvalidError();
    }
    this.retention.note(key.id);
    const { id: apiKeyId, scopes, requestsPerMinute, tokensPerDay, identityProviderId } = key;
    return { ...user, sessionId: null, apiKeyId, scopes, requestsPerMinute, tokensPerDay, identityProviderId };
  }

  private load(name: string): Promise<ApiKeyEntity | null> {
    const where = name.startsWith(BY_ID)
      ? { id: Number(name.slice(BY_ID.length)) }
      : [{ secretHash: name }, { previousHash: name }];
    return findRow(this.database.manager, ApiKeyEntity, where);
  }
}

function isLater(instant: Date | null, now: Date): boolean {
  return instant !== null && instant > now;
}

/** False when there is no end. */
function hasPassed(end: Date | null, now: Date): boolean {
  return end !== null && end <= now;
}
