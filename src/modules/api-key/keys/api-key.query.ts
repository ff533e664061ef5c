import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { ApiKeyEntity } from './api-key.entity';

/** Answers what other modules ask about keys. It only reads. */
@Injectable()
export class ApiKeyQuery {
  constructor(private readonly database: Database) {}

  /** Name and owner of each of the keys; keys that were revoked long ago are left out. */
  async find(ids: number[]): Promise<Map<number, Pick<ApiKeyEntity, 'name' | 'userId'>>> {
    const keys = await findRows(
      this.database.manager,
      ApiKeyEntity,
      { id: In(ids) },
      { members: ['id', 'name', 'userId'] },
    );
    return new Map(keys.map((key) => [key.id, key]));
  }
}
