import { Injectable, StreamableFile } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { csvList } from '../../../common/csv/csv';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextRows, sortedRows } from '../../../database/statements/list-rows';
import { UserDirectoryQuery, UserService } from '../../user/user.api';
import type { ApiKeyWithTextDto } from '../keys/api-key.dto';
import { ApiKeyEntity } from '../keys/api-key.entity';
import { NotServiceAccountError } from '../keys/api-key.errors';
import { ApiKeyService } from '../keys/api-key.service';
import { ApiKeyStore } from '../keys/api-key.store';
import { ApiKeyRules } from '../keys/api-key-rules';
import {
  ADMIN_API_KEY_FIELDS,
  type AdminApiKeyDto,
  type ApiKeySortField,
  type ApiKeyStatus,
  type CreateServiceKeyDto,
  type ListApiKeysQueryDto,
  type RevokedApiKeyDto,
} from './admin-api-key.dto';
import { ApiKeySearchQuery } from './api-key-search.query';

/** Manages the keys of other users for administrators. */
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
    private readonly search: ApiKeySearchQuery,
  ) {}

  /** One page of the keys of all users, or all matching ones as a file. */
  find(query: ListApiKeysQueryDto): Promise<Page<AdminApiKeyDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  /**
   * @throws UserNotFoundError, NotServiceAccountError, TooManyApiKeysError, ValidationFailedError (scopes, expires_at,
   * identity_provider_id)
   */
  async create(administratorId: number, userId: number, body: CreateServiceKeyDto): Promise<ApiKeyWithTextDto> {
    const identityProviderId = body.identity_provider_id ?? null;
    await this.rules.assertDirectory(body.scopes, identityProviderId);
    const fields = { ...(await this.keys.fieldsOf(body)), identityProviderId };
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
    const matching = await this.search.matching(query);
    const { items, total } = await sortedRows(matching, orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  private file(query: ListApiKeysQueryDto): Promise<StreamableFile> {
    return csvList('api-keys', ADMIN_API_KEY_FIELDS, async (last?: AdminApiKeyDto) =>
      this.describe(await nextRows(await this.search.matching(query), last?.id)),
    );
  }

  private async describe(keys: ApiKeyEntity[]): Promise<AdminApiKeyDto[]> {
    const owners = keys.map(({ userId }) => userId);
    const [names, suspended] = await Promise.all([
      this.directory.usernames(owners),
      this.directory.withoutAccess(owners),
    ]);
    return keys.map((key) => this.toDto(key, names.get(key.userId) ?? null, suspended.has(key.userId)));
  }

  private toDto(key: ApiKeyEntity, username: string | null, isSuspended: boolean): AdminApiKeyDto {
    const now = this.clock.now();
    return {
      ...this.keys.toDto(key),
      user_id: key.userId,
      username,
      status: statusOf(key, isSuspended, now),
      revoked_at: key.revokedAt?.toISOString() ?? null,
    };
  }
}

function statusOf({ revokedAt, expiresAt }: ApiKeyEntity, isSuspended: boolean, now: Date): ApiKeyStatus {
  if (revokedAt !== null) {
    return 'revoked';
  }
  if (expiresAt !== null && expiresAt <= now) {
    return 'expired';
  }
  return isSuspended ? 'suspended' : 'active';
}

const COLUMNS: Record<ApiKeySortField, keyof ApiKeyEntity> = {
  id: 'id',
  name: 'name',
  user_id: 'userId',
  created_at: 'createdAt',
  last_used_at: 'lastUsedAt',
  expires_at: 'expiresAt',
};
