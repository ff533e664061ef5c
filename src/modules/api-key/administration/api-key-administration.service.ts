import { Injectable, StreamableFile } from '@nestjs/common';
import {
  Brackets,
  type FindOptionsWhere,
  IsNull,
  LessThanOrEqual,
  MoreThan,
  Not,
  type SelectQueryBuilder,
} from 'typeorm';
import { Clock } from '../../../common/clock';
import { csvList } from '../../../common/csv/csv';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextRows, sortedRows } from '../../../database/list-rows';
import { matchesText } from '../../../database/text-search';
import { UserDirectoryQuery, UserService } from '../../user/user.api';
import { type ApiKeyWithTextDto, toApiKeyDto } from '../keys/api-key.dto';
import { ApiKeyEntity } from '../keys/api-key.entity';
import { NotServiceAccountError } from '../keys/api-key.errors';
import { ApiKeyService } from '../keys/api-key.service';
import { ApiKeyStore } from '../keys/api-key.store';
import { ApiKeyRules } from '../keys/api-key-rules';
import type { CreateApiKeyDto } from '../own/api-key-body.dto';
import {
  ADMIN_API_KEY_FIELDS,
  type AdminApiKeyDto,
  type ApiKeySortField,
  type ApiKeyStatus,
  type ListApiKeysQueryDto,
  type RevokedApiKeyDto,
} from './admin-api-key.dto';

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

  /** One page of the keys of all users, or all matching ones as a file. */
  find(query: ListApiKeysQueryDto): Promise<Page<AdminApiKeyDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
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

  private async list(query: ListApiKeysQueryDto): Promise<Page<AdminApiKeyDto>> {
    const { items, total } = await sortedRows(this.matching(query), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  private file(query: ListApiKeysQueryDto): Promise<StreamableFile> {
    return csvList('api-keys', ADMIN_API_KEY_FIELDS, async (last?: AdminApiKeyDto) =>
      this.describe(await nextRows(this.matching(query), last?.id)),
    );
  }

  private async describe(keys: ApiKeyEntity[]): Promise<AdminApiKeyDto[]> {
    const names = await this.directory.usernames(keys.map(({ userId }) => userId));
    return keys.map((key) => this.toDto(key, names.get(key.userId) ?? null));
  }

  private matching(query: ListApiKeysQueryDto): SelectQueryBuilder<ApiKeyEntity> {
    const keys = this.database.repository(ApiKeyEntity).createQueryBuilder('api_key').where(this.conditionsOf(query));
    return query.q ? keys.andWhere(hasText(query.q, keys)) : keys;
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

const COLUMNS: Record<ApiKeySortField, keyof ApiKeyEntity> = {
  id: 'id',
  name: 'name',
  user_id: 'userId',
  created_at: 'createdAt',
  last_used_at: 'lastUsedAt',
  expires_at: 'expiresAt',
};

/** The text anywhere in the name, or what is known of the key itself: how it begins or ends. */
function hasText(text: string, keys: SelectQueryBuilder<ApiKeyEntity>): Brackets {
  return new Brackets((either) => {
    either
      .where(matchesText('api_key.name', text, keys))
      .orWhere('SUBSTR(api_key.prefix, 1, :length) = :text OR api_key.lastFour = :text', { length: text.length, text });
  });
}
