import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { ServiceSettingEntity } from './service-setting.entity';

/** What administrators may change while the service runs. */
export interface ServiceSettings {
  registration_enabled: boolean;
  /** Domains whose addresses may register, lower-cased; none means all. */
  allowed_email_domains: string[];
}

const DEFAULTS: ServiceSettings = { registration_enabled: true, allowed_email_domains: [] };

/** The setting whose row stands for all of them when they are locked. */
const HELD = 'registration_enabled';

/** How long an instance without Redis may go by settings that another one has changed. */
const CACHE_MILLISECONDS = 5_000;

const CHANNEL = 'service-settings';

/** The settings of the installation, kept in the database and cached for a few seconds. */
@Injectable()
export class SettingsService {
  private cached: { settings: Promise<ServiceSettings>; readAt: number } | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, () => (this.cached = null));
  }

  async get(): Promise<ServiceSettings> {
    const now = performance.now();
    if (!this.cached || now - this.cached.readAt >= CACHE_MILLISECONDS) {
      const reading = { settings: this.read(), readAt: now };
      this.cached = reading;
      reading.settings.catch(() => (this.cached = null));
    }
    return this.cached.settings;
  }

  /** Within `Database.write`: what is stored, which nobody else changes until the transaction ends. */
  async lock(manager: EntityManager): Promise<ServiceSettings> {
    // Only rows can be held, so that this one is made where there is none; one that is there stays as it is.
    await manager
      .createQueryBuilder()
      .insert()
      .into(ServiceSettingEntity)
      .values({ name: HELD, value: DEFAULTS[HELD] as never, updatedAt: this.clock.now() })
      .orUpdate(['name'], ['name'])
      .execute();
    return this.read();
  }

  /** Within `Database.write`. Settings that `changes` does not name stay as they are. */
  async update(manager: EntityManager, changes: Partial<ServiceSettings>): Promise<void> {
    const updatedAt = this.clock.now();
    const rows = Object.entries(changes).map(([name, value]) => ({ name, value: value, updatedAt }));
    if (rows.length === 0) {
      return;
    }
    await manager.upsert(ServiceSettingEntity, rows, ['name']);
    this.database.onCommit(() => {
      this.cached = null;
      this.redis.publish(CHANNEL, '');
    });
  }

  private async read(): Promise<ServiceSettings> {
    const rows = await this.database.repository(ServiceSettingEntity).find();
    const stored = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    return { ...DEFAULTS, ...stored };
  }
}
