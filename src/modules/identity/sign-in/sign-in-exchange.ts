import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ApiError } from '../../../common/errors/api-error';
import { normalForm } from '../../../common/validation/normal-form';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { type ClientContext, LoginCodeInvalidError, TokenIssuer, type TokenPairDto } from '../../auth/auth.api';
import {
  EmailAlreadyRegisteredError,
  isUsername,
  type User,
  UsernameTakenError,
  UserService,
} from '../../user/user.api';
import { IdentityAssertions } from '../assertions/identity-assertions';
import type { IdentityEntity } from '../identities/identity.entity';
import { IdentityStore } from '../identities/identity.store';
import { IdentityLinks } from '../identities/identity-links';
import { IdentityLinkRequiredError } from '../identity.errors';
import { IdentityMapping } from '../mapping/identity-mapping';
import type { Person } from '../protocol/person';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { AccountDecision, countedGroups, type SignInDecision } from './account-decision';
import { sessionEnd } from './ending/session-end';
import type { SignInEntity } from './sign-in.entity';
import { SIGN_IN_SECONDS, SignInStore } from './sign-in.store';
import { isVerifierOf } from './sign-in-tokens';

/** How often a sign-in starts over because a concurrent one was faster. */
const MOST_ATTEMPTS = 5;

/** The result of exchanging a login code: tokens, or the identity that a signed-in user has linked. */
export type Exchanged = { pair: TokenPairDto } | { identity: IdentityEntity };

/** A sign-in that a page continues. Its row is locked. */
export interface OpenedSignIn {
  row: SignInEntity;
  person: Person;
  provider: IdentityProviderEntity;
}

/** The result of the transaction. A failure is thrown after the commit. */
type Outcome = Exchanged | { failure: ApiError };

/** Completes sign-ins: the page exchanges its login code for tokens. */
@Injectable()
export class SignInExchange {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: SignInStore,
    private readonly providers: IdentityProviderStore,
    private readonly decisions: AccountDecision,
    private readonly identities: IdentityStore,
    private readonly links: IdentityLinks,
    private readonly mapping: IdentityMapping,
    private readonly users: UserService,
    private readonly issuer: TokenIssuer,
    private readonly assertions: IdentityAssertions,
  ) {}

  /**
   * @throws LoginCodeInvalidError, SessionRevokedError, IdentityLinkRequiredError, IdentityTakenError
   * @throws IdentityNotAllowedError, GroupsUnavailableError, AccountBannedError
   */
  exchange(context: ClientContext, loginCode: string, verifier: string): Promise<Exchanged> {
    return this.attempt((manager) => this.exchangeOnce(manager, context, loginCode, verifier));
  }

  /**
   * Runs the transaction. A failure that it returns is thrown only after the commit, so that consumed tokens stay
   * consumed. If one user has several concurrent first sign-ins, the unique index lets one create the account. The
   * others then find it.
   */
  async attempt(work: (manager: EntityManager) => Promise<Outcome>): Promise<Exchanged> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await this.database.write(work);
        if ('failure' in outcome) {
          throw new CommittedFailure(outcome.failure);
        }
        return outcome;
      } catch (error) {
        if (error instanceof CommittedFailure) {
          throw error.failure;
        }
        const isOvertaken =
          isUniqueViolation(error) ||
          error instanceof EmailAlreadyRegisteredError ||
          error instanceof UsernameTakenError;
        if (!isOvertaken || attempt === MOST_ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  /**
   * Within `Database.write`: the sign-in of a token, for the page that has the verifier. Null if there is none. A wrong
   * verifier consumes the login code.
   */
  async open(
    manager: EntityManager,
    stage: 'returned' | 'linking',
    token: string,
    verifier: string,
  ): Promise<OpenedSignIn | null> {
    const row = await this.store.lock(manager, stage, token);
    if (!row) {
      return null;
    }
    const isOwn = isVerifierOf(verifier, row.codeChallenge);
    const person = this.store.personOf(row);
    const provider = await this.providers.find(row.providerId);
    // If the provider's issuer has changed, the same subject is a different user.
    const isOfIssuer = person?.issuer === undefined || person.issuer === provider?.issuer;
    if (!isOwn || !person || !provider?.isActive || !isOfIssuer) {
      await this.store.remove(manager, row);
      return null;
    }
    return { row, person, provider };
  }

  /** Within `Database.write`: carries out the decision. */
  async carryOut(
    manager: EntityManager,
    context: ClientContext,
    { row, person, provider }: OpenedSignIn,
    decision: SignInDecision,
  ): Promise<Outcome> {
    await this.store.remove(manager, row);
    switch (decision.kind) {
      case 'refuse':
        await this.identities.endSessions(manager, decision.lost);
        return { failure: decision.refusal };
      case 'prove': {
        const token = await this.store.keepForLink(manager, row, person);
        return { failure: new IdentityLinkRequiredError(token, decision.email, SIGN_IN_SECONDS) };
      }
      case 'enter': {
        const identity = await this.identities.complete(manager, decision.known, person);
        return this.enter(manager, context, provider, person, identity, decision.user);
      }
      case 'link': {
        const identity = await this.links.link(manager, provider, decision.known, person, decision.user);
        return this.enter(manager, context, provider, person, identity, decision.user);
      }
      case 'create': {
        const user = await this.makeAccount(manager, person, decision.email);
        const identity = await this.links.link(manager, provider, decision.known, person, user);
        return this.enter(manager, context, provider, person, identity, user);
      }
    }
  }

  private async exchangeOnce(
    manager: EntityManager,
    context: ClientContext,
    loginCode: string,
    verifier: string,
  ): Promise<Outcome> {
    const opened = await this.open(manager, 'returned', loginCode, verifier);
    if (!opened) {
      return { failure: new LoginCodeInvalidError() };
    }
    const { row, person, provider } = opened;
    if (row.userId !== null) {
      await this.store.remove(manager, row);
      const linking = { userId: row.userId, sessionId: this.store.linkingSessionOf(row) };
      return this.links.linkOwn(manager, provider, person, linking);
    }
    return this.carryOut(manager, context, opened, await this.decisions.decide(manager, provider, person, false));
  }

  private async makeAccount(manager: EntityManager, { name }: Person, email: string): Promise<User> {
    for (const username of proposedNames(name, email)) {
      if (!(await this.users.isUsernameTaken(username))) {
        return this.users.create(manager, { username, email, passwordHash: null, localLogin: false });
      }
    }
    throw new Error('There is always another name.');
  }

  private async enter(
    manager: EntityManager,
    context: ClientContext,
    provider: IdentityProviderEntity,
    person: Person,
    identity: IdentityEntity,
    user: User,
  ): Promise<Outcome> {
    const counted = countedGroups(provider, person, identity);
    const groups = 'groups' in counted ? counted.groups : [];
    await this.mapping.apply(manager, provider, identity, groups);
    const mapped = (await this.mapping.mappedOf([user.id])).get(user.id);
    await this.identities.change(manager, identity, { email: person.email, lastUsedAt: this.clock.now() });
    const pair = await this.issuer.logIn(manager, context, user, {
      identityId: identity.id,
      providerSession: person.providerSession,
      endsAt: sessionEnd(provider, mapped?.mappedUserType ?? null, this.clock.now()),
      assertion: this.assertions.sealed(identity, person.idToken),
      logoutHint: this.assertions.sealedHint(person),
    });
    await this.assertions.publishSignIn(manager, user.id, person.idToken);
    return { pair };
  }
}

/** Carries a failure past the retry logic. */
class CommittedFailure extends Error {
  constructor(readonly failure: ApiError) {
    super('The sign-in is refused.');
  }
}

/** The longest username, less the longest suffix. */
const LONGEST_STEM = 24;

/** Usernames for a new account, best first, from the name and address that the provider sent. */
export function* proposedNames(name: string | null, email: string): Generator<string> {
  const local = email.slice(0, email.lastIndexOf('@'));
  const stems = [name ?? '', local].map(toStem).filter(isUsername);
  yield* stems;
  const stem = stems[0] ?? 'user';
  for (;;) {
    yield `${stem}-${randomInt(10_000, 1_000_000)}`;
  }
}

function toStem(text: string): string {
  const joined = normalForm(text)
    .trim()
    .replace(/\s+/gu, '.')
    .replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '');
  return [...joined].slice(0, LONGEST_STEM).join('');
}
