import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import {
  type CheckedCode,
  type ClientContext,
  InvalidCodeError,
  KnownClients,
  type LinkedAddress,
  LinkedAddresses,
  LoginCodeInvalidError,
  VerificationCodes,
} from '../../auth/auth.api';
import { type User, UserService } from '../../user/user.api';
import { personLabel } from '../identities/person-label';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { AccountDecision } from './account-decision';
import type { Person } from './person';
import { SignInStore } from './sign-in.store';
import { type Exchanged, SignInExchange } from './sign-in-exchange';
import { isVerifierOf, SignInTokens } from './sign-in-tokens';

/**
 * Signs in a user who has proved an address by a verification code: links the account of the address, or creates one.
 */
@Injectable()
export class SignInLink {
  constructor(
    private readonly database: Database,
    private readonly store: SignInStore,
    private readonly tokens: SignInTokens,
    private readonly providers: IdentityProviderStore,
    private readonly decisions: AccountDecision,
    private readonly exchanges: SignInExchange,
    private readonly users: UserService,
    private readonly clients: KnownClients,
    private readonly codes: VerificationCodes,
    addresses: LinkedAddresses,
  ) {
    addresses.use(this);
  }

  /** @throws LoginCodeInvalidError */
  async addressOf(linkToken: string): Promise<LinkedAddress> {
    const { provider, person, email } = await this.find(linkToken);
    return {
      email,
      about: aboutOf(provider, person, await this.users.findByEmail(email)),
      provider: provider.name,
      person: personLabel(person),
      leadsAnywhere: await this.decisions.leadsAnywhere(provider, email),
    };
  }

  /**
   * @throws LoginCodeInvalidError also for another page's verifier, which consumes the token
   * @throws InvalidCodeError; the token stays valid for another attempt
   * @throws IdentityNotAllowedError, GroupsUnavailableError, AccountBannedError, IdentitySuspendedError
   */
  async link(context: ClientContext, linkToken: string, code: string, verifier: string): Promise<Exchanged> {
    const { provider, person, email } = await this.find(linkToken, verifier);
    const owner = await this.users.findByEmail(email);
    const client = await this.clients.find(context, email, owner);
    const about = aboutOf(provider, person, owner);
    const checked = await this.codes.check({ ...client, about }, ['link_identity'], code);
    if (checked.isUsed) {
      throw new InvalidCodeError();
    }
    return this.finish(context, linkToken, verifier, checked);
  }

  private finish(
    context: ClientContext,
    linkToken: string,
    verifier: string,
    checked: CheckedCode,
  ): Promise<Exchanged> {
    return this.exchanges.attempt(async (manager) => {
      const opened = await this.exchanges.open(manager, 'linking', linkToken, verifier);
      if (!opened) {
        return { failure: new LoginCodeInvalidError() };
      }
      const { provider, person } = opened;
      // The address may belong to another account since the code was checked.
      const owner = await this.users.findByEmail(checked.client.email);
      if (aboutOf(provider, person, owner) !== checked.client.about) {
        throw new InvalidCodeError();
      }
      await this.codes.consume(manager, checked);
      const decision = await this.decisions.decide(manager, provider, person, true);
      return this.exchanges.carryOut(manager, context, opened, decision);
    });
  }

  /** @throws LoginCodeInvalidError */
  private async find(
    linkToken: string,
    verifier?: string,
  ): Promise<{ provider: IdentityProviderEntity; person: Person; email: string }> {
    const row = this.tokens.isOurs('link-token', linkToken) ? await this.store.find('linking', linkToken) : null;
    const provider = row && (await this.providers.find(row.providerId));
    const person = row && this.store.personOf(row);
    if (row && verifier !== undefined && !isVerifierOf(verifier, row.codeChallenge)) {
      await this.database.write((manager) => this.store.remove(manager, row));
      throw new LoginCodeInvalidError();
    }
    if (!provider?.isActive || !person || person.email === null) {
      throw new LoginCodeInvalidError();
    }
    return { provider, person, email: person.email };
  }
}

/**
 * A code is valid for one identity and for the account that had the address when the code was sent, if any. Another
 * identity with the same address, or a new owner of the address, needs a new code.
 */
function aboutOf({ issuer }: IdentityProviderEntity, { subject }: Person, owner: User | null): string {
  return `${issuer}\n${subject}\n${owner?.id ?? ''}`;
}
