import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { EmailAlreadyRegisteredError, PasswordService, UsernameTakenError, UserService } from '../../user/user.api';
import type { ClientContext } from '../clients/client-context';
import { KnownClients } from '../clients/known-clients';
import { InvalidCodeError } from '../codes/code.errors';
import { VerificationCodes } from '../codes/verification-codes';
import { InvitationsService } from '../invitations/invitations.service';
import { TokenPairDto } from '../tokens/token.dto';
import { TokenIssuer } from '../tokens/token-issuer';
import { PasswordLogin } from './password-login';
import { RegisterDto } from './register.dto';

/** Registers new users (specification §4.1 rule 3). */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly invitations: InvitationsService,
    private readonly clients: KnownClients,
    private readonly codes: VerificationCodes,
    private readonly issuer: TokenIssuer,
    private readonly passwordLogin: PasswordLogin,
  ) {}

  /**
   * Reveals nothing about accounts before the code was correct. Only a successful registration uses up the code.
   *
   * @throws PasswordLoginDisabledError, RegistrationDisabledError, InvitationInvalidError
   * @throws InvalidCodeError
   * @throws EmailAlreadyRegisteredError
   * @throws UsernameTakenError
   */
  async register(
    context: ClientContext,
    { email, username, password, code, lang, invitation: token }: RegisterDto,
  ): Promise<TokenPairDto> {
    await this.passwordLogin.assertOpenForNew();
    const invitation = await this.invitations.assertMayRegister(email, token);
    const client = await this.clients.find(context, email, await this.users.findByEmail(email));
    const checked = await this.codes.check(client, ['register'], code);
    // Reads the user again, because the check may have waited for another registration.
    if (await this.users.findByEmail(email)) {
      throw new EmailAlreadyRegisteredError();
    }
    if (checked.isUsed) {
      throw new InvalidCodeError();
    }
    if (await this.users.isUsernameTaken(username)) {
      throw new UsernameTakenError();
    }
    const passwordHash = await this.passwords.hash(password);
    return this.database.write(async (manager) => {
      // Creates the account first: if two registrations compete, its unique index gives the second one the right error.
      const membershipType = invitation?.membershipType;
      const user = await this.users.create(manager, { username, email, passwordHash, language: lang, membershipType });
      if (invitation) {
        await this.invitations.use(manager, invitation, user.id);
      }
      await this.codes.consume(manager, checked);
      return this.issuer.logIn(manager, context, user);
    });
  }
}
