import { resolve } from 'node:path';
import { addressFault, type AddressForm } from '../../config/address';
import { ConfigurationError } from '../../config/configuration.error';

export interface SqliteSettings {
  dialect: 'sqlite';
  /** Absolute path of the database file. */
  file: string;
}

export interface MysqlSettings {
  dialect: 'mysql';
  host: string;
  port: number;
  username: string;
  password: string;
  database: string;
  /**
   * Maximum number of connections, half of them for transactions, and at least one for each; `?pool=` in the URL. One
   * extra connection is for signs of life.
   */
  poolSize: number;
  /** Seconds that a request waits for a free or new connection before it gets 503; `?wait=` in the URL. */
  waitSeconds: number;
  /** TLS to the server; `?ssl=true` in the URL. */
  ssl: boolean;
  /** Reads wait for changes that other nodes of a cluster have committed; `?sync=true` in the URL. */
  isSynchronous: boolean;
}

export type ConnectionSettings = SqliteSettings | MysqlSettings;

const DEFAULT_POOL_SIZE = 16;
const DEFAULT_WAIT_SECONDS = 3;

/**
 * The allowed values of each URL parameter. Other parameters are refused, because an operator who misspells the one for
 * TLS must not run without TLS.
 */
const PARAMETERS = new Map([
  ['pool', /^[1-9]\d{0,2}$/],
  ['wait', /^[1-9]\d?$/],
  ['ssl', /^(true|false|1|0)$/],
  ['sync', /^(true|false|1|0)$/],
  // Only utf8mb4 is possible. Connection strings of other programs may name it.
  ['charset', /^utf8mb4/],
]);

const FORM: AddressForm = {
  schemes: ['mysql', 'mariadb'],
  description: 'sqlite:<file> or mysql://user:password@host:3306/name',
  takesPassword: true,
  path: /^\/[^/]+$/,
  parametersFault: (parameters) =>
    [...parameters].every(([name, value]) => PARAMETERS.get(name)?.test(value))
      ? null
      : 'all that may follow the name is ?pool=<1 to 999>, ?wait=<1 to 99 seconds>, ?sync=true and ?ssl=true',
};

/** The fault of a DATABASE_URL, as the end of the sentence "DATABASE_URL must be …"; null for a valid one. */
export function connectionFault(url: string): string | null {
  return /^sqlite:./.test(url) ? null : addressFault(url, FORM);
}

/**
 * Parses DATABASE_URL. User name, password and database name may be percent-encoded.
 *
 * @throws ConfigurationError for an address that the configuration would refuse
 */
export function connectionSettings(url: string): ConnectionSettings {
  const fault = connectionFault(url);
  if (fault !== null) {
    throw new ConfigurationError([`DATABASE_URL must be ${fault}`]);
  }
  if (url.startsWith('sqlite:')) {
    return { dialect: 'sqlite', file: resolve(url.slice('sqlite:'.length).replace(/^\/\/(?=\/|\.)/, '')) };
  }
  const parsed = new URL(url);
  return {
    dialect: 'mysql',
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port || 3306),
    username: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database: decodeURIComponent(parsed.pathname.slice(1)),
    poolSize: Number(parsed.searchParams.get('pool') ?? DEFAULT_POOL_SIZE),
    waitSeconds: Number(parsed.searchParams.get('wait') ?? DEFAULT_WAIT_SECONDS),
    ssl: isOn(parsed.searchParams.get('ssl')),
    isSynchronous: isOn(parsed.searchParams.get('sync')),
  };
}

function isOn(value: string | null): boolean {
  return value === 'true' || value === '1';
}
