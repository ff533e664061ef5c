import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { ActionBudgets } from '../../../common/rate-limit/action-budgets';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findPage, rowExists } from '../../../database/statements/find';
import { type KeyDay, KeyUsageQuery } from '../../usage/usage.api';
import { UserService } from '../../user/user.api';
import type { CreateApiKeyDto, UpdateApiKeyDto } from '../own/api-key-body.dto';
import { type ApiKeyDto, type ApiKeyWithTextDto, toApiKeyDto } from './api-key.dto';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeyNotFoundError } from './api-key.errors';
import { ApiKeyRetention } from './api-key.retention';
import { ApiKeyStore, type KeyFields, type KeyWithText } from './api-key.store';
import { ApiKeyRules } from './api-key-rules';

/** Hours for which a rotated key works by default. */
const GRACE_HOURS = 24;

/**
 * How often an owner may create, change or rotate keys, because the audit log keeps each change permanently. Revoking
 * is always possible.
 */
const CHANGES = { name: 'api-key-changes', limit: 1_000, milliseconds: DAY_MILLISECONDS };

/** Manages keys for their owners. */
@Injectable()
export class ApiKeyService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly usage: KeyUsageQuery,
    private readonly rules: ApiKeyRules,
    private readonly store: ApiKeyStore,
    private readonly budgets: ActionBudgets,
    private readonly retention: ApiKeyRetention,
  ) {}

  /** @throws TooManyApiKeysError, ValidationFailedError (scopes, expires_at), RateLimitExceededError */
  async create(userId: number, body: CreateApiKeyDto): Promise<ApiKeyWithTextDto> {
    await this.budgets.take(CHANGES, userId);
    const fields = await this.fieldsOf(body);
    return this.withText(
      await this.database.write(async (manager) => {
        const owner = await this.users.lock(manager, userId);
        this.rules.assertScopes(owner, fields.scopes);
        this.rules.assertNoDirectory(fields.scopes);
        return this.store.add(manager, owner.id, userId, fields);
      }),
    );
  }

  /** All columns of a new key from a body. @throws ValidationFailedError (expires_at) */
  async fieldsOf({ name, scopes, ...body }: CreateApiKeyDto): Promise<KeyFields> {
    return {
      name,
      scopes,
      requestsPerMinute: body.requests_per_minute ?? null,
      tokensPerDay: body.tokens_per_day ?? null,
      identityProviderId: null,
      expiresAt: await this.rules.endOf(body.expires_at),
    };
  }

  /** The keys that were not revoked, the newest first. */
  async list(userId: number, { limit, offset }: ListQueryDto): Promise<ListPart<ApiKeyDto>> {
    const where = { userId, revokedAt: IsNull() };
    const options = { order: { id: 'DESC' }, limit, offset } as const;
    const { items, total } = await findPage(this.database.manager, ApiKeyEntity, where, options);
    return { items: items.map((key) => this.toDto(key)), total };
  }

  /**
   * @throws ApiKeyNotFoundError, ValidationFailedError (scopes, expires_at, nothing to change), RateLimitExceededError
   */
  async update(userId: number, id: number, body: UpdateApiKeyDto): Promise<ApiKeyDto> {
    await this.budgets.take(CHANGES, userId);
    const changes = await this.changesOf(body);
    return this.toDto(
      await this.database.write(async (manager) => {
        const owner = await this.users.lock(manager, userId);
        this.rules.assertScopes(owner, changes.scopes ?? []);
        this.rules.assertNoDirectory(changes.scopes ?? []);
        return this.store.change(manager, await this.store.lock(manager, { id, userId }), changes);
      }),
    );
  }

  /** @throws ApiKeyNotFoundError, RateLimitExceededError */
  async rotate(userId: number, id: number, graceHours = GRACE_HOURS): Promise<ApiKeyWithTextDto> {
    await this.budgets.take(CHANGES, userId);
    const until = new Date(this.clock.now().getTime() + graceHours * HOUR_MILLISECONDS);
    return this.withText(
      await this.database.write(async (manager) =>
        this.store.rotate(manager, await this.store.lock(manager, { id, userId }), until),
      ),
    );
  }

  /** @throws ApiKeyNotFoundError */
  async revoke(userId: number, id: number): Promise<void> {
    await this.database.write((manager) => this.store.revoke(manager, { id, userId }, userId));
  }

  /** The last 30 UTC days. @throws ApiKeyNotFoundError */
  async usageOf(userId: number, id: number): Promise<KeyDay[]> {
    const isOwn = await rowExists(this.database.manager, ApiKeyEntity, { id, userId, revokedAt: IsNull() });
    if (!isOwn) {
      throw new ApiKeyNotFoundError();
    }
    return this.usage.days(id);
  }

  withText({ key, text }: KeyWithText): ApiKeyWithTextDto {
    return { ...this.toDto(key), key: text };
  }

  /** The key as a DTO, with its last use as far as this instance knows. */
  toDto(key: ApiKeyEntity): ApiKeyDto {
    return toApiKeyDto(this.retention.withLastUse(key), this.clock.now());
  }

  private async changesOf(body: UpdateApiKeyDto): Promise<Partial<KeyFields>> {
    const { name, scopes, requests_per_minute: requestsPerMinute, tokens_per_day: tokensPerDay } = body;
    const changes = {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerDay !== undefined && { tokensPerDay }),
      ...(body.expires_at !== undefined && { expiresAt: await this.rules.endOf(body.expires_at) }),
    };
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return changes;
  }
}
