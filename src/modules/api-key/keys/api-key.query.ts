import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Scope } from '../../../common/security/scopes';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { ApiKeyEntity } from './api-key.entity';
import { isActive, isTextOf } from './api-key.store';

/** Read-only queries about keys for other modules. */
@Injectable()
export class ApiKeyQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Name and owner of each of the keys. Keys that were revoked long ago are left out. */
  async find(ids: number[]): Promise<Map<number, Pick<ApiKeyEntity, 'name' | 'userId'>>> {
    const keys = await findRows(
      this.database.manager,
      ApiKeyEntity,
      { id: In(ids) },
      { members: ['id', 'name', 'userId'] },
    );
    return new Map(keys.map((key) => [key.id, key]));
  }

  /** The key's current limit of tokens per day; null: no limit. Undefined: there is no such key. */
  async tokensPerDayOf(id: number): Promise<number | null | undefined> {
    const key = await findRow(this.database.manager, ApiKeyEntity, { id }, { members: ['id', 'tokensPerDay'] });
    return key?.tokensPerDay;
  }

  /** The scopes of those of the keys that still work, by the hash of each text that may be sent. */
  async activeAmong(ids: readonly number[]): Promise<Map<string, readonly Scope[]>> {
    if (ids.length === 0) {
      return new Map();
    }
    const members = ['id', 'secretHash', 'previousHash', 'previousUntil', 'scopes', 'revokedAt', 'expiresAt'] as const;
    const keys = await findRows(this.database.manager, ApiKeyEntity, { id: In([...new Set(ids)]) }, { members });
    const now = this.clock.now();
    return new Map(
      keys
        .filter((key) => isActive(key, now))
        .flatMap((key) =>
          [key.secretHash, key.previousHash].flatMap((hash): [string, readonly Scope[]][] =>
            hash !== null && isTextOf(key, hash, now) ? [[hash, key.scopes]] : [],
          ),
        ),
    );
  }
}
