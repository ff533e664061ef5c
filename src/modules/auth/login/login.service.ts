import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { PasswordService, StoredPasswordService, UserNotRegisteredError, UserService } from '../../user/user.api';
import { PasswordGate } from '../attempts/password-gate';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { InvalidCodeError } from '../codes/code.errors';
import { VerificationCodes } from '../codes/verification-codes';
import { TokenPairDto } from '../tokens/token.dto';
import { TokenIssuer } from '../tokens/token-issuer';
import { LoginDto } from './login.dto';
import { PasswordLogin } from './password-login';

/** Logs users in with a password or a one-time code (specification §4.1). */
@Injectable()
export class LoginService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly storedPasswords: StoredPasswordService,
    private readonly clients: KnownClients,
    private readonly gate: PasswordGate,
    private readonly codes: VerificationCodes,
    private readonly issuer: TokenIssuer,
    private readonly passwordLogin: PasswordLogin,
  ) {}

  /** If the body has both a password and a code, the password is used. */
  logIn(context: ClientContext, { email, password, verification_code }: LoginDto): Promise<TokenPairDto> {
    return password === undefined || password === null
      ? this.logInWithCode(context, email, verification_code ?? '')
      : this.logInWithPassword(context, email, password);
  }

  /**
   * @throws PasswordLoginDisabledError
   * @throws InvalidCredentialsError for a wrong password and for an unknown address, after the same time
   * @throws AccountLockedError
   * @throws AccountBannedError, IdentitySuspendedError
   */
  private async logInWithPassword(context: ClientContext, email: string, password: string): Promise<TokenPairDto> {
    await this.passwordLogin.assertOpen();
    const found = await this.passwordLogin.admitted(await this.users.findByEmail(email));
    const user = await this.gate.check(await this.clients.find(context, email, found), found, password);
    const { passwordHash } = user;
    const isOutdated = passwordHash !== null && this.passwords.isOutdated(passwordHash);
    const newHash = isOutdated ? await this.passwords.hash(password) : null;
    return this.database.write(async (manager) => {
      const pair = await this.issuer.logIn(manager, context, user);
      if (newHash !== null) {
        await this.storedPasswords.renew(manager, user, newHash);
      }
      return pair;
    });
  }

  /**
   * Logs in with a code of purpose `login` or `register`. If the code is correct but the address has no account, the
   * code stays valid, so that the client can register with it next.
   *
   * @throws PasswordLoginDisabledError
   * @throws InvalidCodeError also when the code is correct but the account does not allow it
   * @throws UserNotRegisteredError when the code is correct and the address has no account
   * @throws AccountBannedError, IdentitySuspendedError
   */
  async logInWithCode(context: ClientContext, email: string, code: string): Promise<TokenPairDto> {
    await this.passwordLogin.assertOpen();
    const client = await this.clients.find(context, email, await this.users.findByEmail(email));
    const checked = await this.codes.check(client, ['login', 'register'], code);
    if (checked.isUsed) {
      throw new InvalidCodeError();
    }
    // Reads the user again, because the check may have waited for other attempts.
    const user = await this.users.findByEmail(email);
    if (!user && (await this.passwordLogin.admitsNew())) {
      throw new UserNotRegisteredError();
    }
    const admitted = await this.passwordLogin.admitted(user);
    if (!admitted) {
      throw new InvalidCodeError();
    }
    return this.database.write(async (manager) => {
      await this.codes.consume(manager, checked);
      return this.issuer.logIn(manager, context, admitted);
    });
  }
}
