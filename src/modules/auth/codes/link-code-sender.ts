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

/** The address and the identity that the code of a link token proves. */
export interface LinkedAddress {
  /** The normalized address. */
  email: string;
  /** Identifies the identity to link and the account. The code is valid only for these. */
  about: string;
  /** Display name of the provider. */
  provider: string;
  /** Label of the person at the provider. */
  person: string;
  /** Whether a correct code leads to an existing or a new account. */
  leadsAnywhere: boolean;
}

/** Finds the address of a link token. The module that issues link tokens implements it. */
interface LinkFinder {
  /** @throws LoginCodeInvalidError */
  addressOf(linkToken: string): Promise<LinkedAddress>;
}

/** Delegates to the module that issues link tokens, which depends on this module. */
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

/** Sends the codes that prove the address of a provider's user. The response reveals nothing about accounts. */
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
   * @throws EmailSendFailedError while no mail can be sent
   * @throws CodeSendTooFrequentError when this client has requested enough codes
   */
  async send(context: ClientContext, linkToken: string, lang: string | null | undefined): Promise<void> {
    const { email, about, provider, person, leadsAnywhere } = await this.links.of(linkToken);
    await this.mails.assertAvailable();
    const user = await this.users.findByEmail(email);
    const client = { ...(await this.clients.find(context, email, user)), about };
    const areRefused = await this.failures.areTooMany(client);
    await this.database.write(async (manager) => {
      await this.limits.countRequest(manager, client, PURPOSE);
      if (areRefused || !(await this.limits.countSent(manager, client, PURPOSE))) {
        return;
      }
      const { code, expiresAt } = await this.codes.issue(manager, client, PURPOSE);
      const now = this.clock.now();
      await this.mails.enqueue(manager, {
        mail: LINK_IDENTITY_CODE,
        to: email,
        language: negotiateLanguage({ body: lang, stored: user?.language, accepted: [context.language] }),
        // An expired mail is never sent, but the response takes the same time.
        expiresAt: leadsAnywhere ? expiresAt : now,
        dedupeKey: `code:${PURPOSE}:${this.hasher.hash('address', email, about)}`,
        values: { code, validSeconds: (expiresAt.getTime() - now.getTime()) / 1_000, provider, person },
      });
    });
  }
}
