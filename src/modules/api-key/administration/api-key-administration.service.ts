import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { Database } from '../../../database/database';
import { UserDirectoryQuery, UserService } from '../../user/user.api';
import { type ApiKeyWithTextDto, toApiKeyDto } from '../keys/api-key.dto';
import { ApiKeyEntity } from '../keys/api-key.entity';
import { NotServiceAccountError } from '../keys/api-key.errors';
import { ApiKeyService } from '../keys/api-key.service';
import { ApiKeyStore } from '../keys/api-key.store';
import { ApiKeyRules } from '../keys/api-key-rules';
import type { CreateApiKeyDto } from '../own/api-key-body.dto';
import type { AdminApiKeyDto, ApiKeyStatus, ListApiKeysQueryDto, RevokedApiKeyDto } from './admin-api-key.dto';

/** What administrators do with the keys of others. */
@Injectable()
export class ApiKeyAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
    private readonly rules: ApiKeyRules,
    private readonly keys: ApiKeyService,
    private readonly store: ApiKeyStore,
  ) {}

  /** All keys, the newest first. */
  async page(query: ListApiKeysQueryDto): Promise<Page<AdminApiKeyDto>> {
    const { offset: skip, limit: take } = partOf(query);
    const [keys, total] = await this.database
      .repository(ApiKeyEntity)
      .findAndCount({ where: this.conditionsOf(query), order: { id: 'DESC' }, skip, take });
    const names = await this.directory.usernames(keys.map(({ userId }) => userId));
    return toPage(
      keys.map((key) => this.toDto(key, names.get(key.userId) ?? null)),
      total,
      query,
    );
  }

  /** @throws UserNotFoundError, NotServiceAccountError, TooManyApiKeysError, ValidationFailedError (scopes, expires_at) */
  async create(administratorId: number, userId: number, body: CreateApiKeyDto): Promise<ApiKeyWithTextDto> {
    const fields = await this.keys.fieldsOf(body);
    return this.keys.withText(
      await this.database.write(async (manager) => {
        const owner = await this.users.lock(manager, userId);
        if (owner.userType !== 'service') {
          throw new NotServiceAccountError();
        }
        this.rules.assertScopes(owner, fields.scopes);
        return this.store.add(manager, userId, administratorId, fields);
      }),
    );
  }

  /** @throws ApiKeyNotFoundError */
  async revoke(administratorId: number, id: number): Promise<RevokedApiKeyDto> {
    const { revokedAt } = await this.database.write((manager) =>
      this.store.revoke(manager, { id, userId: null }, administratorId),
    );
    return { id, revoked_at: (revokedAt as Date).toISOString() };
  }

  private conditionsOf({ user_id: userId, status }: ListApiKeysQueryDto): FindOptionsWhere<ApiKeyEntity>[] {
    const owner = userId !== undefined && { userId };
    const now = this.clock.now();
    switch (status) {
      case undefined:
        return [{ ...owner }];
      case 'revoked':
        return [{ ...owner, revokedAt: Not(IsNull()) }];
      case 'expired':
        return [{ ...owner, revokedAt: IsNull(), expiresAt: LessThanOrEqual(now) }];
      case 'active':
        return [IsNull(), MoreThan(now)].map((expiresAt) => ({ ...owner, revokedAt: IsNull(), expiresAt }));
    }
  }

  private toDto(key: ApiKeyEntity, username: string | null): AdminApiKeyDto {
    const now = this.clock.now();
    return {
      ...toApiKeyDto(key, now),
      user_id: key.userId,
      username,
      status: statusOf(key, now),
      revoked_at: key.revokedAt?.toISOString() ?? null,
    };
  }
}

function statusOf({ revokedAt, expiresAt }: ApiKeyEntity, now: Date): ApiKeyStatus {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
