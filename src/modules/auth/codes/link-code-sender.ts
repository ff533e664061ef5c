import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { UserService } from '../../user/user.api';
import { LINK_IDENTITY_CODE } from '../auth.mails';
import { AddressHasher } from '../clients/address-hasher';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { CodeFailures } from './code-failures';
import { CodeIssuer } from './code-issuer';
import { SendLimits } from './send-limits';

/** What the code of a link token is to prove. */
export interface LinkedAddress {
  /** The address, normalized. */
  email: string;
  /** Which identity is to be linked to whose account; the code is good for these alone. */
  about: string;
  /** What people call the provider. */
  provider: string;
  /** What the provider calls the person. */
  person: string;
  /** Whether a right code leads anywhere: to an account, or to a new one. */
  leadsAnywhere: boolean;
}

/** Whose address a link token is about. The module that gives out link tokens says how to find it. */
interface LinkFinder {
  /** @throws LoginCodeInvalidError */
  addressOf(linkToken: string): Promise<LinkedAddress>;
}

/** Asks the module above this one about link tokens. */
@Injectable()
export class LinkedAddresses {
  private finder: LinkFinder | undefined;

  use(finder: LinkFinder): void {
    this.finder = finder;
  }

  /** @throws LoginCodeInvalidError */
  of(linkToken: string): Promise<LinkedAddress> {
    if (!this.finder) {
      throw new Error('No module gives out link tokens.');
    }
    return this.finder.addressOf(linkToken);
  }
}

const PURPOSE = 'link_identity';

/** Sends the codes that prove the address of somebody whom a provider knows. The answer says nothing about accounts. */
@Injectable()
export class LinkCodeSender {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly mails: MailQueue,
    private readonly clients: KnownClients,
    private readonly failures: CodeFailures,
    private readonly limits: SendLimits,
    private readonly codes: CodeIssuer,
    private readonly hasher: AddressHasher,
    private readonly links: LinkedAddresses,
  ) {}

  /**
   * @throws LoginCodeInvalidError
   * @throws EmailSendFailedError while no mail goes out.
   * @throws CodeSendTooFrequentError when this client has asked for enough codes.
   */
  async send(context: ClientContext, linkToken: string, lang: string | null | undefined): Promise<void> {
    const { email, about, provider, person, leadsAnywhere } = await this.links.of(linkToken);
    await this.mails.assertAvailable();
    const user = await this.users.findByEmail(email);
    const client = { ...(await this.clients.find(context, email, user)), about };
    const areRefused = await this.failures.areTooMany(client);
    await this.database.write(async (manager) => {
      await this.limits.countAsked(manager, client, PURPOSE);
      if (areRefused || !(await this.limits.countSent(manager, client, PURPOSE))) {
        return;
      }
      const { code, expiresAt } = await this.codes.issue(manager, client, PURPOSE);
      const now = this.clock.now();
      await this.mails.enqueue(manager, {
        mail: LINK_IDENTITY_CODE,
        to: email,
        language: negotiateLanguage({ body: lang, stored: user?.language, accepted: [context.language] }),
        // A mail that has expired is never sent, but the answer takes the same time.
        expiresAt: leadsAnywhere ? expiresAt : now,
        dedupeKey: `code:${PURPOSE}:${this.hasher.hash('address', email, about)}`,
        values: { code, validSeconds: (expiresAt.getTime() - now.getTime()) / 1_000, provider, person },
      });
    });
  }
}
