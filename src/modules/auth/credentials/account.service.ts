import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { translate } from '../../../common/i18n/translator';
import type { Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { AccountClosingService, UserEntity, UserService } from '../../user/user.api';
import { PasswordGate } from '../attempts/password-gate';
import { InvalidCodeError } from '../codes/code.errors';
import { VerificationCodes } from '../codes/verification-codes';
import { AccountClosedDto } from './close-account.dto';
import { CloseAccountDto } from './close-account.dto';

/** Has users close their accounts themselves. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly gate: PasswordGate,
    private readonly codes: VerificationCodes,
    private readonly closing: AccountClosingService,
    private readonly mails: MailQueue,
  ) {}

  /**
   * @throws InvalidCredentialsError when the password is wrong.
   * @throws AccountLockedError
   * @throws InvalidCodeError
   * @throws LastAdminError
   */
  async close(
    { userId }: Principal,
    { password, code }: CloseAccountDto,
    caller: RequestContext,
  ): Promise<AccountClosedDto> {
    const user = await this.users.get(userId);
    const useProof = await this.prove(user, password, code ?? '');
    const { eraseAt } = await this.database.write(async (manager) => {
      await useProof(manager);
      const closed = await this.closing.close(manager, userId);
      await this.mails.enqueue(manager, {
        kind: 'account_deleted',
        to: closed.email,
        language: negotiateLanguage({ stored: closed.language, accepted: [caller.language] }),
        values: { eraseAt: closed.eraseAt.toISOString() },
      });
      return closed;
    });
    return {
      success: true,
      message: translate(caller.language, 'messages.account_deletion_scheduled', { erase_at: eraseAt }),
      erase_at: eraseAt.toISOString(),
    };
  }

  /** Answers what is to be done with the proof in the transaction. */
  private async prove(
    user: UserEntity,
    password: string | undefined,
    code: string,
  ): Promise<(manager: EntityManager) => Promise<void>> {
    if (password !== undefined) {
      await this.gate.check(user.email, user, password);
      return () => Promise.resolve();
    }
    const checked = await this.codes.check(user.email, ['login'], code);
    if (checked.isUsed) {
      throw new InvalidCodeError();
    }
    return (manager) => this.codes.consume(manager, checked);
  }
}
