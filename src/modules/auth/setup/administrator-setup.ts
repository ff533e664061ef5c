import { createHash, timingSafeEqual } from 'node:crypto';
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
import { isForOneMachine, isFromThisMachine } from './same-machine';
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
