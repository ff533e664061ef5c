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

/** Where to send a code, and what for. */
export interface CodeRequest {
  /** Normalized. */
  email: string;
  purpose: Exclude<CodePurpose, 'link_identity'>;
  lang?: string | null;
  /** The secret of one. */
  invitation?: string;
}

/** Sends one-time codes. Nobody learns from it whether an address has an account: neither by the answer nor by its time. */
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
   * Sends the code, unless too many were sent or guessed at the address. The client does not learn that: it is told only
   * what it has asked for itself.
   *
   * @throws EmailSendFailedError while no mail goes out.
   * @throws CodeSendTooFrequentError when this client has asked for enough codes.
   * @throws PasswordLoginDisabledError
   * @throws InvitationInvalidError, RegistrationDisabledError for purpose `register` while registration is switched off.
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
    // Whoever has an account is told so by a registration, and proves by a login code who it is.
    const isMailed = purpose === 'register' || (purpose === 'login' && isOwn);
    const user = isMailed ? found : await this.admitted(purpose, found);
    const areRefused = await this.failures.areTooMany(client);
    await this.database.write(async (manager) => {
      await this.limits.countAsked(manager, client, purpose);
      if (areRefused || !(await this.limits.countSent(manager, client, purpose))) {
        return;
      }
      await this.enqueue(manager, context, request, user, await this.codes.issue(manager, client, purpose));
    });
  }

  private admitted(purpose: CodePurpose, user: User | null): Promise<User | null> {
    return purpose === 'reset_password' ? this.passwordLogin.admittedToReset(user) : this.passwordLogin.admitted(user);
  }

  /** Whether codes go out, and do not only stand in the log. */
  get isSending(): boolean {
    return this.mails.hasServer;
  }

  /** An unknown address gets a mail that has already expired. It is never sent, but the answer takes the same time. */
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
