import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { ApiKeyEntity } from './api-key.entity';

/** Read-only queries about keys for other modules. */
@Injectable()
export class ApiKeyQuery {
  constructor(private readonly database: Database) {}

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
}
