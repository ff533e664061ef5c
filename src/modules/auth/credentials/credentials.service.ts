import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { PublicRequestContext, RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { PasswordService, SessionService, StoredPasswordService, User, UserService } from '../../user/user.api';
import { InvalidCredentialsError } from '../attempts/attempt.errors';
import { PasswordGate } from '../attempts/password-gate';
import { PASSWORD_CHANGED } from '../auth.mails';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { InvalidCodeError } from '../codes/code.errors';
import { VerificationCodes } from '../codes/verification-codes';
import { PasswordLogin } from '../login/password-login';
import { ChangePasswordDto } from './password.dto';
import { ResetPasswordDto } from './password.dto';

/** Sets users' new passwords and notifies them by mail. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly storedPasswords: StoredPasswordService,
    private readonly sessions: SessionService,
    private readonly clients: KnownClients,
    private readonly codes: VerificationCodes,
    private readonly gate: PasswordGate,
    private readonly mails: MailQueue,
    private readonly passwordLogin: PasswordLogin,
  ) {}

  /**
   * Sets a new password with a code and ends all sessions of the user. If the new password is rejected, the code stays
   * valid.
   *
   * @throws PasswordLoginDisabledError
   * @throws InvalidCodeError also when another request changed the password at the same time; the code stays valid
   * @throws ValidationFailedError when the password is the user's name or address
   */
  async reset(context: ClientContext, { email, code, new_password }: ResetPasswordDto): Promise<void> {
    await this.passwordLogin.assertOpen();
    const client = await this.clients.find(context, email, await this.users.findByEmail(email));
    const checked = await this.codes.check(client, ['reset_password'], code);
    // Reads the user again, because the check may have waited for other attempts.
    const user = await this.passwordLogin.admittedToReset(await this.users.findByEmail(email));
    if (!user || checked.isUsed) {
      throw new InvalidCodeError();
    }
    this.passwords.assertNotIdentity(new_password, user, 'new_password');
    const passwordHash = await this.passwords.hash(new_password);
    await this.database.write(async (manager) => {
      await this.codes.consume(manager, checked);
      if (!(await this.setPassword(manager, context, user, passwordHash))) {
        throw new InvalidCodeError();
      }
      await this.sessions.endAll(manager, user.id);
      await this.gate.forgive(manager, client);
    });
  }

  /**
   * Sets a new password with the current one and ends all other sessions of the user.
   *
   * @throws InvalidCredentialsError when the current password is wrong or was replaced at the same time
   * @throws AccountLockedError
   * @throws ValidationFailedError when the password is the user's name or address
   */
  async change(context: RequestContext & ClientContext, change: ChangePasswordDto): Promise<void> {
    const { userId, sessionId } = context.principal;
    const user = await this.users.get(userId);
    this.passwords.assertNotIdentity(change.new_password, user, 'new_password');
    await this.gate.check(await this.clients.find(context, user.email, user), user, change.current_password);
    const passwordHash = await this.passwords.hash(change.new_password);
    await this.database.write(async (manager) => {
      if (!(await this.setPassword(manager, context, user, passwordHash))) {
        throw new InvalidCredentialsError();
      }
      await this.sessions.endAll(manager, userId, sessionId);
    });
  }

  /**
   * Returns false if another password was set since `user` was read, because the proof of the old one is no longer
   * valid.
   */
  private async setPassword(
    manager: EntityManager,
    context: PublicRequestContext,
    user: User,
    passwordHash: string,
  ): Promise<boolean> {
    if (!(await this.storedPasswords.set(manager, user, passwordHash))) {
      return false;
    }
    await this.mails.enqueue(manager, {
      mail: PASSWORD_CHANGED,
      to: user.email,
      language: negotiateLanguage({ stored: user.language, accepted: [context.language] }),
      values: { changedAt: this.clock.now().toISOString() },
    });
    return true;
  }
}
