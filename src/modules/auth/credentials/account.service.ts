import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { ACCOUNT_DELETED, AccountClosingService, User, UserService } from '../../user/user.api';
import { PasswordGate } from '../attempts/password-gate';
import type { AccountClient } from '../clients/account-client';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { InvalidCodeError } from '../codes/code.errors';
import { VerificationCodes } from '../codes/verification-codes';
import { CloseAccountDto } from './close-account.dto';

/** Lets users close their own accounts. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly clients: KnownClients,
    private readonly gate: PasswordGate,
    private readonly codes: VerificationCodes,
    private readonly closing: AccountClosingService,
    private readonly mails: MailQueue,
  ) {}

  /**
   * Closes the account. Returns when its content will be erased.
   *
   * @throws InvalidCredentialsError when the password is wrong
   * @throws AccountLockedError
   * @throws InvalidCodeError
   * @throws LastAdminError
   */
  async close(context: RequestContext & ClientContext, { password, code }: CloseAccountDto): Promise<Date> {
    const { userId } = context.principal;
    const user = await this.users.get(userId);
    const client = await this.clients.find(context, user.email, user);
    const useProof = await this.prove(client, user, password, code ?? '');
    return this.database.write(async (manager) => {
      await useProof(manager);
      const closed = await this.closing.close(manager, userId);
      await this.mails.enqueue(manager, {
        mail: ACCOUNT_DELETED,
        to: closed.email,
        language: negotiateLanguage({ stored: closed.language, accepted: [context.language] }),
        values: { eraseAt: closed.eraseAt.toISOString() },
      });
      return closed.eraseAt;
    });
  }

  /**
   * Checks the proof. Returns a function that consumes it within the transaction: a code works once, a password stays.
   */
  private async prove(
    client: AccountClient,
    user: User,
    password: string | undefined,
    code: string,
  ): Promise<(manager: EntityManager) => Promise<void>> {
    if (password !== undefined) {
      await this.gate.check(client, user, password);
      return () => Promise.resolve();
    }
    const checked = await this.codes.check(client, ['login'], code);
    if (checked.isUsed) {
      throw new InvalidCodeError();
    }
    return (manager) => this.codes.consume(manager, checked);
  }
}
