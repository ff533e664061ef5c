import { Injectable } from '@nestjs/common';
import type { PublicRequestContext } from '../../../common/security/request-context';
import { SettingsService, type User } from '../../user/user.api';
import type { CodePurpose } from '../codes/verification-code.entity';
import { PasswordLoginDisabledError } from './login.errors';

/**
 * Decides who may use passwords and this service's codes: `password_login` of the settings applies to all accounts,
 * `local_login` to each one. A user who may not use them gets the same response as for a wrong password or code, after
 * the same time.
 */
@Injectable()
export class PasswordLogin {
  constructor(private readonly settings: SettingsService) {}

  /**
   * Depends only on the settings, so that the response reveals nothing about accounts. Call it before looking up an
   * account.
   *
   * @throws PasswordLoginDisabledError
   */
  async assertOpen(): Promise<void> {
    if ((await this.rule()) === 'off') {
      throw new PasswordLoginDisabledError();
    }
  }

  /** Like `assertOpen`, for new accounts. @throws PasswordLoginDisabledError */
  async assertOpenForNew(): Promise<void> {
    if ((await this.rule()) !== 'everyone') {
      throw new PasswordLoginDisabledError();
    }
  }

  /**
   * Checks whether a code may be requested. A signed-in user may always request one of purpose `login`, to prove their
   * identity.
   *
   * @throws PasswordLoginDisabledError
   */
  async assertSends(purpose: CodePurpose, { principal }: PublicRequestContext): Promise<void> {
    if (purpose === 'register') {
      await this.assertOpenForNew();
    } else if (purpose !== 'login' || (principal?.sessionId ?? null) === null) {
      await this.assertOpen();
    }
  }

  /** The user, if a password or a code may open the account. Otherwise null, as if the account did not exist. */
  async admitted(user: User | null): Promise<User | null> {
    const rule = await this.rule();
    const isOpen = rule === 'everyone' || (rule === 'admins' && user?.userType === 'admin');
    return isOpen && user?.localLogin === true ? user : null;
  }

  /** The user, if a code may set a new password. Null while the account is suspended. */
  async admittedToReset(user: User | null): Promise<User | null> {
    const admitted = await this.admitted(user);
    return admitted?.suspendedAt === null ? admitted : null;
  }

  /** Whether a person without an account may create one with a code. */
  async admitsNew(): Promise<boolean> {
    return (await this.rule()) === 'everyone';
  }

  private async rule(): Promise<'everyone' | 'admins' | 'off'> {
    return (await this.settings.get()).password_login;
  }
}
