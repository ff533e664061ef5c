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

/** Who can sign in with a password or a code. */
export type PasswordLoginRule = (typeof PASSWORD_LOGINS)[number];

export const DEVICE_LOGINS = ['on', 'off'] as const;

/** Whether command-line programs can sign in with a code. */
export type DeviceLoginRule = (typeof DEVICE_LOGINS)[number];

/** The settings that administrators can change at run time. */
export interface ServiceSettings {
  registration_enabled: boolean;
  /** Email domains whose addresses may register, in lower case. An empty list allows all. */
  allowed_email_domains: string[];
  /** Longest lifetime of API keys, in days. Null for no limit. */
  api_key_max_days: number | null;
  /** Who can read conversations that are shared by links. */
  sharing: Sharing;
  /** When sharing was last switched off, in ISO 8601. Earlier links never work again. Null if it never was. */
  sharing_ended_at: string | null;
  /** Name of the installation. Null for the software's name. */
  name: string | null;
  /** Logo, as a data URL. Null if there is none. */
  logo: string | null;
  /** Colour of buttons and links, as `#rrggbb`. Null for the software's colour. */
  colour: string | null;
  /** Welcome text. Null if there is none. */
  welcome: string | null;
  /** Address of the terms of use. Null if there is none. */
  terms_url: string | null;
  /** Languages of the pages. The first one is for users who prefer none of them. */
  languages: Language[];
  /** Sender of all mails: `Product <no-reply@example.com>` or the bare address. Null for `MAIL_FROM`. */
  mail_from: string | null;
  password_login: PasswordLoginRule;
  device_login: DeviceLoginRule;
  /** Hosts that MCP requests may reach in addition to `MCP_ALLOWED_HOSTS`, in its format. */
  mcp_allowed_hosts: string[];
  /** Whether the administrators' overview shows the first steps of a new installation. */
  first_steps: boolean;
}

/** Name of an installation without its own name. */
export const DEFAULT_NAME = 'Chat';

export const SHARING = ['off', 'users', 'everyone'] as const;

/** `off`: no one; `users`: signed-in users; `everyone`: anyone with a link. */
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
  device_login: 'on',
  mcp_allowed_hosts: [],
  first_steps: true,
};

/** The setting whose row is locked on behalf of all settings. */
const LOCKED = 'registration_enabled';

/** The settings of the installation, which are stored in the database and cached for a few seconds. */
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

  /** Branding of the installation. */
  async branding(): Promise<BrandingDto> {
    const { name, logo, colour, welcome, terms_url, languages } = await this.get();
    return { name: name ?? DEFAULT_NAME, logo, colour, welcome, terms_url, languages };
  }

  /** Language of users who have not chosen one: the first language of the pages. */
  async defaultLanguage(): Promise<Language> {
    return (await this.get()).languages[0] ?? DEFAULT_LANGUAGE;
  }

  /** Within `Database.write`: reads the settings and locks them until the transaction ends. */
  async lock(manager: EntityManager): Promise<ServiceSettings> {
    // Only an existing row can be locked. This inserts the row if it is missing, and otherwise leaves it unchanged.
    const row = { name: LOCKED, value: DEFAULTS[LOCKED], updatedAt: this.clock.now() };
    await upsertRows(manager, ServiceSettingEntity, [row], ['name'], ['name']);
    return this.read();
  }

  /** Within `Database.write`. Settings that are not in `changes` stay unchanged. */
  async update(manager: EntityManager, changes: Partial<ServiceSettings>): Promise<void> {
    const updatedAt = this.clock.now();
    const entries = Object.entries(changes);
    const rows = entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value, updatedAt }]));
    const unset = entries.filter(([, value]) => value === null).map(([name]) => name);
    if (rows.length > 0) {
      await upsertRows(manager, ServiceSettingEntity, rows, ['name']);
    }
    if (unset.length > 0) {
      // Null is a default, and settings with their default have no row.
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
