import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { User, UserService } from '../../user/user.api';
import { PasswordLogin } from '../attempts/password-login';
import { ALREADY_REGISTERED, CODE_MAILS } from '../auth.mails';
import { AddressHasher } from '../clients/address-hasher';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { InvitationsService } from '../invitations/invitations.service';
import { CodeFailures } from './code-failures';
import { CodeIssuer, type IssuedCode } from './code-issuer';
import { SendLimits } from './send-limits';
import type { CodePurpose } from './verification-code.entity';

/** The recipient and purpose of a code. */
export interface CodeRequest {
  /** The normalized address. */
  email: string;
  purpose: Exclude<CodePurpose, 'link_identity'>;
  lang?: string | null;
  /** The secret of an invitation. */
  invitation?: string;
}

/** Sends one-time codes. Neither the response nor its time reveals whether an address has an account. */
@Injectable()
export class CodeSender {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly invitations: InvitationsService,
    private readonly mails: MailQueue,
    private readonly clients: KnownClients,
    private readonly failures: CodeFailures,
    private readonly limits: SendLimits,
    private readonly codes: CodeIssuer,
    private readonly hasher: AddressHasher,
    private readonly passwordLogin: PasswordLogin,
  ) {}

  /**
   * Sends the code, unless too many were sent or guessed for the address. The response does not reveal that: it depends
   * only on the client's own requests.
   *
   * @throws EmailSendFailedError while no mail can be sent
   * @throws CodeSendTooFrequentError when this client has requested enough codes
   * @throws PasswordLoginDisabledError
   * @throws InvitationInvalidError, RegistrationDisabledError for purpose `register` while registration is switched off
   */
  async send(context: ClientContext, request: CodeRequest): Promise<void> {
    const { email, purpose, invitation } = request;
    await this.passwordLogin.assertSends(purpose, context);
    if (purpose === 'register') {
      await this.invitations.assertMayRegister(email, invitation);
    }
    await this.mails.assertAvailable();
    const found = await this.users.findByEmail(email);
    const client = await this.clients.find(context, email, found);
    const isOwn = found !== null && found.id === context.principal?.userId && context.principal.sessionId !== null;
    // A registration notifies the owner of an existing account by mail, and signed-in users may prove their identity
    // with a login code. Neither depends on whether the account allows password login.
    const isMailed = purpose === 'register' || (purpose === 'login' && isOwn);
    const user = isMailed ? found : await this.admitted(purpose, found);
    const areRefused = await this.failures.areTooMany(client);
    await this.database.write(async (manager) => {
      await this.limits.countRequest(manager, client, purpose);
      if (areRefused || !(await this.limits.countSent(manager, client, purpose))) {
        return;
      }
      await this.enqueue(manager, context, request, user, await this.codes.issue(manager, client, purpose));
    });
  }

  private admitted(purpose: CodePurpose, user: User | null): Promise<User | null> {
    return purpose === 'reset_password' ? this.passwordLogin.admittedToReset(user) : this.passwordLogin.admitted(user);
  }

  /** Whether codes are sent by mail, and not only written to the log. */
  get isSending(): boolean {
    return this.mails.hasServer;
  }

  /**
   * An unknown address gets a mail that has already expired. It is never sent, but the response takes the same time.
   */
  private async enqueue(
    manager: EntityManager,
    context: ClientContext,
    { email, purpose, lang }: CodeRequest,
    user: User | null,
    { code, expiresAt }: IssuedCode,
  ): Promise<void> {
    const isRegistration = purpose === 'register';
    const now = this.clock.now();
    const order = {
      to: email,
      language: negotiateLanguage({ body: lang, stored: user?.language, accepted: [context.language] }),
      expiresAt: user || isRegistration ? expiresAt : now,
      dedupeKey: `code:${purpose}:${this.hasher.hash('address', email)}`,
    };
    if (user && isRegistration) {
      await this.mails.enqueue(manager, { ...order, mail: ALREADY_REGISTERED, values: {} });
    } else {
      const values = { code, validSeconds: (expiresAt.getTime() - now.getTime()) / 1_000 };
      await this.mails.enqueue(manager, { ...order, mail: CODE_MAILS[purpose], values });
    }
  }
}
