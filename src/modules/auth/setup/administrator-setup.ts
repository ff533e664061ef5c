import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainEvents } from '../../../common/events/domain-events';
import { ServiceSecret } from '../../../common/security/service-secret';
import { AppConfig } from '../../../config/app.config';
import { Database } from '../../../database/database';
import { PasswordService, SettingsService, userAudit, UserService } from '../../user/user.api';
import type { ClientContext } from '../clients/client-context';
import { TokenPairDto } from '../tokens/token.dto';
import { TokenIssuer } from '../tokens/token-issuer';
import { CreateAdministratorDto, SetupStatusDto } from './setup.dto';
import { SetupCompleteError, SetupNotAllowedError } from './setup.errors';

/**
 * Lets a person make the first administrator of a new installation in the console: on the machine of the service, or with
 * the token of the link in its log.
 */
@Injectable()
export class AdministratorSetup {
  private readonly tokens: Buffer[];

  /** An administrator never goes without leaving another one, so this stays true. */
  private isComplete = false;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly settings: SettingsService,
    private readonly issuer: TokenIssuer,
    private readonly events: DomainEvents,
    secret: ServiceSecret,
  ) {
    // Made of the secret, so that each instance accepts the link in the log of any other, and nothing has to be kept.
    this.tokens = secret.deriveAll('first-administrator');
  }

  async status(request: Request): Promise<SetupStatusDto> {
    const needsAdministrator = await this.needsAdministrator();
    return {
      needs_administrator: needsAdministrator,
      is_allowed_here: needsAdministrator && this.isAllowedWithoutToken(request),
    };
  }

  /** What follows `/console` in the address that leads to making the first administrator; null when there is one. */
  async link(): Promise<string | null> {
    if (!(await this.needsAdministrator())) {
      return null;
    }
    return isForOneMachine(this.config) ? '/setup' : `/setup#token=${this.tokens[0]?.toString('base64url')}`;
  }

  /**
   * Makes the first administrator and logs in. Of several calls at once one succeeds.
   *
   * @throws SetupCompleteError
   * @throws SetupNotAllowedError
   * @throws EmailAlreadyRegisteredError
   * @throws UsernameTakenError
   */
  async create(
    request: Request,
    context: ClientContext,
    { email, username, password, token, lang }: CreateAdministratorDto,
  ): Promise<TokenPairDto> {
    if (!(await this.needsAdministrator())) {
      throw new SetupCompleteError();
    }
    if (!this.isAllowedWithoutToken(request) && !this.isToken(token ?? '')) {
      throw new SetupNotAllowedError();
    }
    const passwordHash = await this.passwords.hash(password);
    return this.database.write(async (manager) => {
      // One after another: the second one sees the administrator of the first.
      await this.settings.lock(manager);
      if (await this.users.hasAdministrator()) {
        throw new SetupCompleteError();
      }
      const account = { username, email, passwordHash, userType: 'admin' as const, language: lang };
      const user = await this.users.create(manager, account);
      const { id } = user;
      await this.events.publish(manager, userAudit.change('create', { id, userId: id, before: null, after: user }));
      return this.issuer.logIn(manager, context, user);
    });
  }

  private async needsAdministrator(): Promise<boolean> {
    this.isComplete ||= await this.users.hasAdministrator();
    return !this.isComplete;
  }

  private isAllowedWithoutToken(request: Request): boolean {
    return isForOneMachine(this.config) && isFromThisMachine(request);
  }

  private isToken(text: string): boolean {
    // Hashes have one length, and comparing them takes the same time whatever is right about the text.
    return this.tokens.some((token) => timingSafeEqual(hash(token.toString('base64url')), hash(text)));
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOOPBACK = new BlockList();

LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');

LOOPBACK.addAddress('::1', 'ipv6');

/** What proxies add to a request. One of these is enough to know that the caller may be anywhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Browsers say this of requests of the service's own pages, and of addresses that a person entered. */
const OWN_SITES = ['same-origin', 'none'];

/** Whether people reach the service only from its own machine, as the configuration says. */
export function isForOneMachine({ isProduction, PUBLIC_URL, TRUST_PROXY }: AppConfig): boolean {
  // A proxy on the same machine may add no header at all. Whoever sets one up sets one of these.
  return !isProduction && TRUST_PROXY === 'off' && (PUBLIC_URL === null || isOwnName(new URL(PUBLIC_URL).hostname));
}

/**
 * Whether the request comes from a program or a page on the machine of the service. `request.ip` does not count, because
 * callers write the headers that it may come from.
 */
export function isFromThisMachine({ socket, headers }: Request): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    PROXY_HEADERS.every((name) => headers[name] === undefined) &&
    // Another name may be one that somebody else lets point to this machine (DNS rebinding).
    isOwnName(hostnameOf(`http://${host}`)) &&
    // Pages of other origins. Browsers of before 2023 send only the second header.
    (site === undefined || OWN_SITES.includes(String(site))) &&
    (origin === undefined || origin === `http://${host}`)
  );
}

function isOwnName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** Also in the form that IPv4 has on a socket for both: `::ffff:127.0.0.1`. */
function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function hostnameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
