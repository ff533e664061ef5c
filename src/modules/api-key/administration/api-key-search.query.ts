import { Injectable } from '@nestjs/common';
import {
  Brackets,
  type FindOptionsWhere,
  IsNull,
  LessThan,
  LessThanOrEqual,
  MoreThan,
  Not,
  type SelectQueryBuilder,
} from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { matchesText } from '../../../database/statements/text-search';
import { mayCallSql } from '../../user/user.api';
import { ApiKeyEntity } from '../keys/api-key.entity';
import { ApiKeyRules } from '../keys/api-key-rules';
import type { ApiKeyStatus, ListApiKeysQueryDto } from './admin-api-key.dto';

/** Searches the keys of all users for administrators. */
@Injectable()
export class ApiKeySearchQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: ApiKeyRules,
  ) {}

  async matching(query: ListApiKeysQueryDto): Promise<SelectQueryBuilder<ApiKeyEntity>> {
    const { user_id: userId, status, beyond_max_days: isBeyond, q: text } = query;
    const now = this.clock.now();
    const keys = this.database.repository(ApiKeyEntity).createQueryBuilder('api_key').setParameters({ now });
    keys.where({ ...(userId !== undefined && { userId }) });
    if (status !== undefined) {
      keys.andWhere(hasStatus(status, now));
    }
    if (isBeyond === true) {
      keys.andWhere(await this.isBeyondLongestLife(now));
    }
    return text ? keys.andWhere(hasText(text, keys)) : keys;
  }

  private async isBeyondLongestLife(now: Date): Promise<Brackets> {
    const life = await this.rules.longestLife();
    return new Brackets((keys) => {
      if (life === null) {
        keys.where('1 = 0');
        return;
      }
      const tooOld = LessThan(new Date(now.getTime() - life));
      const tooLate = MoreThan(new Date(now.getTime() + life));
      keys.where([
        { ...LIVE, expiresAt: IsNull() },
        { ...LIVE, expiresAt: tooLate },
        { ...LIVE, createdAt: tooOld, expiresAt: MoreThan(now) },
      ]);
    });
  }
}

const LIVE = { revokedAt: IsNull() };

/** In the precedence of `statusOf`: a revoked key does not count as expired, nor an expired one as suspended. */
function hasStatus(status: ApiKeyStatus, now: Date): Brackets {
  const unexpired: FindOptionsWhere<ApiKeyEntity>[] = [IsNull(), MoreThan(now)].map((expiresAt) => ({
    ...LIVE,
    expiresAt,
  }));
  const isUsable = mayCallSql('api_key.user_id');
  return new Brackets((keys) => {
    switch (status) {
      case 'revoked':
        keys.where({ revokedAt: Not(IsNull()) });
        break;
      case 'expired':
        keys.where({ ...LIVE, expiresAt: LessThanOrEqual(now) });
        break;
      case 'suspended':
        keys.where(unexpired).andWhere(`NOT ${isUsable}`);
        break;
      case 'active':
        keys.where(unexpired).andWhere(isUsable);
        break;
    }
  });
}

/** The text anywhere in the name, or at the known beginning or end of the key itself. */
function hasText(text: string, keys: SelectQueryBuilder<ApiKeyEntity>): Brackets {
  return new Brackets((either) => {
    either
      .where(matchesText('api_key.name', text, keys))
      .orWhere('SUBSTR(api_key.prefix, 1, :length) = :text OR api_key.lastFour = :text', { length: text.length, text });
  });
}
