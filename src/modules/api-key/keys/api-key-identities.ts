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
    const load = (hash: string): Promise<ApiKeyEntity | null> => this.load(hash);
    this.keys = new SharedCache({ channel: 'api-keys', load, mostKeys: MOST_KEYS, database, redis });
  }

  override async principalOf(text: string): Promise<Principal> {
    if (!isKeyText(text)) {
      throw new ApiKeyInvalidError();
    }
    return this.principalOfHash(hashOfKey(text));
  }

  override async principalOfHash(hash: string): Promise<Principal> {
    const key = await this.keys.get(hash);
    if (key === null || (key.secretHash !== hash && !isLater(key.previousUntil, this.clock.now()))) {
      throw new ApiKeyInvalidError();
    }
    return this.callerOf(key, hash);
  }

  /** Within `Database.write`: from the commit on, requests with the key are answered by its new state. */
  forget({ secretHash, previousHash }: Pick<ApiKeyEntity, 'secretHash' | 'previousHash'>): void {
    for (const hash of [secretHash, previousHash]) {
      if (hash !== null) {
        this.keys.forgetOnCommit(hash);
      }
    }
  }

  /** What depends on the time is worked out for each request, not when the key was read. */
  private async callerOf(key: ApiKeyEntity, apiKeyHash: string): Promise<Principal> {
    const isLive = key.revokedAt === null && !hasPassed(key.expiresAt, this.clock.now());
    const user = isLive ? await this.principals.ofUser(key.userId) : null;
    if (user === null) {
      throw new ApiKeyInvalidError();
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

function isLater(instant: Date | null, now: Date): boolean {
  return instant !== null && instant > now;
}

/** False when there is no end. */
function hasPassed(end: Date | null, now: Date): boolean {
  return end !== null && end <= now;
}
