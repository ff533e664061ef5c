import { isIP } from 'node:net';
import { IsString, Matches, ValidateIf } from 'class-validator';
import express from 'express';
import { Address } from './address';
import { CommaSeparated, Rule, Switch, WholeNumber } from './environment-rules';
import { RunMode } from './run-mode';

/** How the process runs and how it is reached. */
export class AppConfig extends RunMode {
  /** TCP port; 0 picks a free one. */
  @WholeNumber(0, 65_535)
  PORT = 3000;

  /** Address to listen on; containers set 0.0.0.0. */
  @IsString()
  HOST = '127.0.0.1';

  /** Public address of the service, used in mails and documents. Default: derived from HOST and PORT. */
  @Address({
    schemes: ['http', 'https'],
    description: 'an http or https address',
    takesPassword: false,
    path: /^\//,
  })
  PUBLIC_URL: string | null = null;

  /** Origins from which browsers may call, separated by commas; `*` allows all. Default: none, `*` in development. */
  @CommaSeparated()
  @Matches(/^(\*|https?:\/\/[^\s/]+)$/, {
    each: true,
    message: '$property must be origins such as https://app.example.com, separated by commas, or *',
  })
  @ValidateIf((config: AppConfig) => config.CORS_ORIGINS !== null)
  CORS_ORIGINS: string[] | null = null;

  /**
   * The proxies whose X-Forwarded-For the service trusts: `off`, a number of hops, or addresses, subnets and the names
   * `loopback`, `linklocal` and `uniquelocal`, separated by commas.
   */
  @Rule<AppConfig>(
    ({ TRUST_PROXY }) => isTrustedProxies(TRUST_PROXY),
    'TRUST_PROXY must be off, a number of proxies up to 99, or a list of addresses, subnets, loopback, linklocal and ' +
      'uniquelocal, separated by commas',
  )
  TRUST_PROXY = 'off';

  /** Serves the console at /console. */
  @Switch()
  CONSOLE_ENABLED = true;

  /** Serves /docs, /redoc and /openapi.*. */
  @Switch()
  DOCS_ENABLED = true;

  /** Seconds that running replies have to finish after SIGTERM. */
  @WholeNumber(0, 600)
  SHUTDOWN_GRACE_SECONDS = 25;
}

const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether the text is a valid setting: `off`, a number of hops, or a list of addresses that Express accepts. */
function isTrustedProxies(setting: string): boolean {
  if (/^(off|\d{1,2})$/.test(setting)) {
    return true;
  }
  // Express also accepts 012.1.1.1 and 123 as addresses, which are most likely mistakes.
  const areAddresses = setting.split(',').every((part) => {
    const [address = ''] = part.trim().split('/');
    return NAMES.includes(part.trim()) || isIP(address) !== 0;
  });
  return areAddresses && isTakenByExpress(setting);
}

/** Express parses the list when it is set, and throws if the list is invalid. */
function isTakenByExpress(setting: string): boolean {
  try {
    express().set('trust proxy', setting);
    return true;
  } catch {
    return false;
  }
}
