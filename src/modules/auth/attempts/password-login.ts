import { Injectable } from '@nestjs/common';
import type { PublicRequestContext } from '../../../common/security/request-context';
import { SettingsService, type User } from '../../user/user.api';
import type { CodePurpose } from '../codes/verification-code.entity';
import { PasswordLoginDisabledError } from './login.errors';

/**
 * Whom passwords and codes of ours let in: `password_login` of the settings for all accounts, `local_login` for each. Whoever is
 * not let in gets what a wrong password or code gets, after the same time.
 */
@Injectable()
export class PasswordLogin {
  constructor(private readonly settings: SettingsService) {}

  /**
   * Depends only on the settings, so that the answer says nothing about accounts. Call it before an account is looked up.
   *
   * @throws PasswordLoginDisabledError
   */
  async assertOpen(): Promise<void> {
    if ((await this.rule()) === 'off') {
      throw new PasswordLoginDisabledError();
    }
  }

  /** The same for new accounts. @throws PasswordLoginDisabledError */
  async assertOpenForNew(): Promise<void> {
    if ((await this.rule()) !== 'everyone') {
      throw new PasswordLoginDisabledError();
    }
  }

  /**
   * Whether a code may be asked for. A user who is signed in may always have one of purpose `login`, which proves who it is.
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

  /** The user, if a password or a code of ours opens the account; else null, as if there was no such account. */
  async admitted(user: User | null): Promise<User | null> {
    const rule = await this.rule();
    const isOpen = rule === 'everyone' || (rule === 'admins' && user?.userType === 'admin');
    return isOpen && user?.localLogin === true ? user : null;
  }

  /** The user, if a code of ours may set a new password: not while the account is suspended. */
  async admittedToReset(user: User | null): Promise<User | null> {
    const admitted = await this.admitted(user);
    return admitted?.suspendedAt === null ? admitted : null;
  }

  /** Whether somebody without an account may make one with a code. */
  async admitsNew(): Promise<boolean> {
    return (await this.rule()) === 'everyone';
  }

  private async rule(): Promise<'everyone' | 'admins' | 'off'> {
    return (await this.settings.get()).password_login;
  }
}
