import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { RequestContext } from '../../../common/security/request-context';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import {
  type ClientContext,
  InvalidCodeError,
  KnownClients,
  PasswordGate,
  PasswordLogin,
  VerificationCodes,
} from '../../auth/auth.api';
import { SessionService, type User, UserService } from '../../user/user.api';
import { IdentityNotFoundError, LastLoginMethodError } from '../identity.errors';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { type IdentityDto, toIdentityDto } from './identity.dto';
import { IdentityStore } from './identity.store';
import { IdentityLinks } from './identity-links';
import type { StartIdentityDto } from './identity-start.dto';

/** No other proof is needed within this time after a sign-in. */
const FRESH_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** Lists and changes the user's own identities. */
@Injectable()
export class OwnIdentitiesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly clients: KnownClients,
    private readonly gate: PasswordGate,
    private readonly codes: VerificationCodes,
    private readonly passwordLogin: PasswordLogin,
    private readonly providers: IdentityProviderStore,
    private readonly identities: IdentityStore,
    private readonly links: IdentityLinks,
  ) {}

  async list(userId: number, { limit, offset }: ListQueryDto): Promise<ListPart<IdentityDto>> {
    const slugs = new Map((await this.providers.all()).map(({ id, slug }) => [id, slug]));
    const identities = await this.identities.ofUser(userId);
    const shown = identities.slice(offset, offset + limit);
    const items = shown.map((identity) => toIdentityDto(identity, slugs.get(identity.providerId) ?? ''));
    return { items, total: identities.length };
  }

  /**
   * Verifies that the account's owner is linking an identity, and not another person at an unlocked screen.
   *
   * @throws InvalidCredentialsError, AccountLockedError, InvalidCodeError
   * @throws ValidationFailedError when there is neither a proof nor a sign-in of the last ten minutes
   */
  async prove(
    context: RequestContext & ClientContext,
    { password, verification_code }: StartIdentityDto,
  ): Promise<void> {
    const { userId, sessionId } = context.principal;
    const user = await this.users.get(userId);
    const client = await this.clients.find(context, user.email, user);
    if (password !== undefined) {
      await this.gate.check(client, user, password);
    } else if (verification_code !== undefined) {
      const checked = await this.codes.check(client, ['login'], verification_code);
      if (checked.isUsed) {
        throw new InvalidCodeError();
      }
      await this.database.write((manager) => this.codes.consume(manager, checked));
    } else if (!(await this.isFresh(userId, sessionId))) {
      throw ValidationFailedError.of('password', 'required');
    }
  }

  /** @throws IdentityNotFoundError, LastLoginMethodError */
  async unlink(userId: number, id: number): Promise<void> {
    await this.database.write(async (manager) => {
      const user = await this.users.lock(manager, userId);
      const own = await this.identities.ofUser(userId);
      const identity = own.find((each) => each.id === id);
      if (!identity) {
        throw new IdentityNotFoundError();
      }
      await this.assertAnotherWay(
        user,
        own.filter((each) => each !== identity).map(({ providerId }) => providerId),
      );
      const provider = await this.providers.find(identity.providerId);
      await this.links.unlink(manager, provider?.name ?? identity.issuer, identity, user);
    });
  }

  /** @throws LastLoginMethodError */
  private async assertAnotherWay(user: User, providerIds: readonly number[]): Promise<void> {
    const active = new Set((await this.providers.all()).flatMap(({ id, isActive }) => (isActive ? [id] : [])));
    const isAdmitted = (await this.passwordLogin.admitted(user)) !== null;
    if (!isAdmitted && !providerIds.some((id) => active.has(id))) {
      throw new LastLoginMethodError();
    }
  }

  private async isFresh(userId: number, sessionId: number | null): Promise<boolean> {
    const session = sessionId === null ? null : await this.sessions.find(userId, sessionId);
    return session !== null && session.createdAt.getTime() > this.clock.now().getTime() - FRESH_MILLISECONDS;
  }
}
