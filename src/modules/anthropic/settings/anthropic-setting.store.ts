import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { AnthropicSettingEntity } from './anthropic-setting.entity';

/** A setting with its version. Version 0: it was never set. */
export interface VersionedSetting<Content> {
  version: number;
  content: Content;
}

/** Reads and replaces settings. They are cached, because every request reads them. */
@Injectable()
export class AnthropicSettingStore {
  private readonly cache: SharedCache<string, AnthropicSettingEntity | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    redis: RedisConnection,
  ) {
    const load = (name: string): Promise<AnthropicSettingEntity | null> =>
      findRow(database.manager, AnthropicSettingEntity, { name });
    this.cache = new SharedCache({ channel: 'anthropic-settings', load, mostKeys: 10, database, redis });
  }

  /** @param none the content of a setting that was never set */
  async get<Content>(name: string, none: Content): Promise<VersionedSetting<Content>> {
    return ((await this.cache.get(name)) ?? { version: 0, content: none }) as VersionedSetting<Content>;
  }

  /** Within `Database.write`: reads the setting and locks it until the transaction ends. */
  async lock<Content>(manager: EntityManager, name: string, none: Content): Promise<VersionedSetting<Content>> {
    // Only an existing row can be locked. This inserts the row if it is missing, and otherwise leaves it unchanged.
    const row = { name, version: 0, content: none, updatedAt: this.clock.now() };
    await upsertRows(manager, AnthropicSettingEntity, [row], ['name'], ['name']);
    return ((await findLocked(manager, AnthropicSettingEntity, { name })) ?? row) as VersionedSetting<Content>;
  }

  /** Within `Database.write`, after `lock`. @returns the new version */
  async set(manager: EntityManager, name: string, content: unknown, { version }: { version: number }): Promise<number> {
    const next = version + 1;
    await updateRows(
      manager,
      AnthropicSettingEntity,
      { version: next, content, updatedAt: this.clock.now() },
      { name },
    );
    this.cache.forgetOnCommit(name);
    return next;
  }

  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.write(work);
  }
}
