import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from '../../../common/i18n/language';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import type { BrandingDto } from './branding.dto';
import { ServiceSettingEntity } from './service-setting.entity';

export const PASSWORD_LOGINS = ['everyone', 'admins', 'off'] as const;

/** Whom passwords and codes of ours let in. */
export type PasswordLoginRule = (typeof PASSWORD_LOGINS)[number];

/** What administrators may change while the service runs. */
export interface ServiceSettings {
  registration_enabled: boolean;
  /** Domains whose addresses may register, lower-cased; none means all. */
  allowed_email_domains: string[];
  /** The longest life of API keys, in days; null: any. */
  api_key_max_days: number | null;
  /** Who may read conversations that users share by links. */
  sharing: Sharing;
  /** When sharing was last switched off, in ISO 8601: no link from before it lives again. Null: never. */
  sharing_ended_at: string | null;
  /** What the installation calls itself; null: as the software does. */
  name: string | null;
  /** Its picture, as a data URL; null: none. */
  logo: string | null;
  /** The colour of its buttons and links, as `#rrggbb`; null: that of the software. */
  colour: string | null;
  /** What people read who come; null: nothing. */
  welcome: string | null;
  /** Where its terms stand; null: it has none. */
  terms_url: string | null;
  /** The languages of its pages; the first one is for those who want none of them. */
  languages: Language[];
  /** The sender of all mails, `Product <no-reply@example.com>` or the bare address; null: `MAIL_FROM`. */
  mail_from: string | null;
  password_login: PasswordLoginRule;
  /** Whether the overview of administrators shows what a new installation needs first. */
  first_steps: boolean;
}

/** The name of an installation that gave itself none. */
export const DEFAULT_NAME = 'Chat';

export const SHARING = ['off', 'users', 'everyone'] as const;

/** `off`: no one; `users`: people who are signed in; `everyone`: anyone with a link. */
export type Sharing = (typeof SHARING)[number];

const DEFAULTS: ServiceSettings = {
  registration_enabled: true,
  allowed_email_domains: [],
  api_key_max_days: null,
  sharing: 'users',
  sharing_ended_at: null,
  name: null,
  logo: null,
  colour: null,
  welcome: null,
  terms_url: null,
  languages: [...LANGUAGES],
  mail_from: null,
  password_login: 'everyone',
  first_steps: true,
};

/** The setting whose row is locked on behalf of all of them. */
const LOCKED = 'registration_enabled';

/** The settings of the installation. They are in the database, and in memory for a few seconds. */
@Injectable()
export class SettingsService {
  private readonly cache: SharedCache<void, ServiceSettings>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    redis: RedisConnection,
  ) {
    this.cache = new SharedCache({ channel: 'service-settings', load: () => this.read(), database, redis });
  }

  get(): Promise<ServiceSettings> {
    return this.cache.get();
  }

  /** How the installation shows itself. */
  async branding(): Promise<BrandingDto> {
    const { name, logo, colour, welcome, terms_url, languages } = await this.get();
    return { name: name ?? DEFAULT_NAME, logo, colour, welcome, terms_url, languages };
  }

  /** Of people who have chosen none: the first one of the pages. */
  async defaultLanguage(): Promise<Language> {
    return (await this.get()).languages[0] ?? DEFAULT_LANGUAGE;
  }

  /** Within `Database.write`: reads what is stored, and keeps others from changing it until the transaction ends. */
  async lock(manager: EntityManager): Promise<ServiceSettings> {
    // Only a row that exists can be locked. So this inserts the row if it is missing, and otherwise leaves it as it is.
    const row = { name: LOCKED, value: DEFAULTS[LOCKED], updatedAt: this.clock.now() };
    await upsertRows(manager, ServiceSettingEntity, [row], ['name'], ['name']);
    return this.read();
  }

  /** Within `Database.write`. Settings that `changes` does not name stay as they are. */
  async update(manager: EntityManager, changes: Partial<ServiceSettings>): Promise<void> {
    const updatedAt = this.clock.now();
    const entries = Object.entries(changes);
    const rows = entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value, updatedAt }]));
    const unset = entries.filter(([, value]) => value === null).map(([name]) => name);
    if (rows.length > 0) {
      await upsertRows(manager, ServiceSettingEntity, rows, ['name']);
    }
    if (unset.length > 0) {
      // Null is a default, and what has its default has no row.
      await deleteRows(manager, ServiceSettingEntity, { name: In(unset) });
    }
    this.cache.forgetOnCommit();
  }

  private async read(): Promise<ServiceSettings> {
    const rows = await findRows(this.database.manager, ServiceSettingEntity, {});
    const stored = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    return { ...DEFAULTS, ...stored };
  }
}
