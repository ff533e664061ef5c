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
 * Lets a person create the first administrator of a new installation in the console, either on the service's own
 * machine or with the token of the link in the log.
 */
@Injectable()
export class AdministratorSetup {
  private readonly tokens: Buffer[];

  /** The last administrator cannot be removed, so this stays true. */
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
    // Derived from the secret, so that each instance accepts the link in any other instance's log, and nothing is
    // stored.
    this.tokens = secret.deriveAll('first-administrator');
  }

  async status(request: Request): Promise<SetupStatusDto> {
    const needsAdministrator = await this.needsAdministrator();
    return {
      needs_administrator: needsAdministrator,
      is_allowed_here: needsAdministrator && this.isAllowedWithoutToken(request),
    };
  }

  /** The path after `/console` of the page that creates the first administrator. Null if there is an administrator. */
  async link(): Promise<string | null> {
    if (!(await this.needsAdministrator())) {
      return null;
    }
    return isForOneMachine(this.config) ? '/setup' : `/setup#token=${this.tokens[0]?.toString('base64url')}`;
  }

  /**
   * Creates the first administrator and logs in. Of several concurrent calls, one succeeds.
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
      // Serializes concurrent calls, so that the second one sees the first administrator.
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
    // Compares hashes, which have the same length, so that the time does not depend on how much of the text is correct.
    return this.tokens.some((token) => timingSafeEqual(hash(token.toString('base64url')), hash(text)));
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOOPBACK = new BlockList();

LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');

LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that proxies add. If a request has any of these, the caller may be anywhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Browsers send these values for requests from the service's own pages, and for addresses that a user entered. */
const OWN_SITES = ['same-origin', 'none'];

/** Whether the configuration makes the service reachable only from its own machine. */
export function isForOneMachine({ isProduction, PUBLIC_URL, TRUST_PROXY }: AppConfig): boolean {
  // A proxy on the same machine may add no header, but its setup requires one of these settings.
  return !isProduction && TRUST_PROXY === 'off' && (PUBLIC_URL === null || isOwnName(new URL(PUBLIC_URL).hostname));
}

/**
 * Whether the request comes from a program or a page on the service's machine. `request.ip` is not used, because it may
 * come from headers that callers can forge.
 */
export function isFromThisMachine({ socket, headers }: Request): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    PROXY_HEADERS.every((name) => headers[name] === undefined) &&
    // An attacker may let another name resolve to this machine (DNS rebinding).
    isOwnName(hostnameOf(`http://${host}`)) &&
    // Rejects pages of other origins. Browsers from before 2023 send only the second header.
    (site === undefined || OWN_SITES.includes(String(site))) &&
    (origin === undefined || origin === `http://${host}`)
  );
}

function isOwnName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** Includes the form of IPv4 addresses on a dual-stack socket: `::ffff:127.0.0.1`. */
function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function hostnameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
