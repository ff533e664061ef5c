import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { ServiceSecret } from '../../common/security/service-secret';
import { PageTokenIdentity, TokenIdentity } from '../../common/security/token-identity';
import { MailModule } from '../../integrations/mail/mail.module';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { UserModule } from '../user/user.api';
import { AddressQueue } from './attempts/address-queue';
import { AttemptLog } from './attempts/attempt-log';
import { AttemptLogEntity } from './attempts/attempt-log.entity';
import { PasswordGate } from './attempts/password-gate';
import { PasswordLogin } from './attempts/password-login';
import { ALREADY_REGISTERED, CODE_MAILS, INVITATION, LINK_IDENTITY_CODE, PASSWORD_CHANGED } from './auth.mails';
import { AuthPersonalData } from './auth.personal-data';
import { AuthRetention } from './auth.retention';
import { AddressHasher } from './clients/address-hasher';
import { DeviceCookie } from './clients/device-cookie';
import { KnownClientEntity } from './clients/known-client.entity';
import { KnownClients } from './clients/known-clients';
import { CodeConfig } from './codes/code.config';
import { CodeFailures } from './codes/code-failures';
import { CodeCipher, CodeIssuer } from './codes/code-issuer';
import { CodeSender } from './codes/code-sender';
import { CodeTries } from './codes/code-tries';
import { LinkCodeSender, LinkedAddresses } from './codes/link-code-sender';
import { SendLimits } from './codes/send-limits';
import { VerificationCodeEntity } from './codes/verification-code.entity';
import { VerificationCodes } from './codes/verification-codes';
import { AccountController } from './credentials/account.controller';
import { AccountService } from './credentials/account.service';
import { CredentialsService } from './credentials/credentials.service';
import { invitationAudit } from './invitations/invitation.audit';
import { InvitationEntity } from './invitations/invitation.entity';
import { InvitationsController } from './invitations/invitations.controller';
import { InvitationsService } from './invitations/invitations.service';
import { AuthController } from './login/auth.controller';
import { LoginService } from './login/login.service';
import { RegistrationService } from './login/registration.service';
import { TokenController } from './login/token.controller';
import { FeaturePages } from './pages/feature-pages';
import { PageTokens } from './pages/page-tokens';
import { PagesController } from './pages/pages.controller';
import { AdministratorSetup } from './setup/administrator-setup';
import { SetupController } from './setup/setup.controller';
import { BrowserSessions } from './tokens/browser-sessions';
import { DeviceTokens } from './tokens/device-tokens';
import { JwtStrategy } from './tokens/jwt.strategy';
import { LogoutAddresses } from './tokens/logout-addresses';
import { RefreshTokens } from './tokens/refresh-tokens';
import { TokenConfig } from './tokens/token.config';
import { TOKEN_ISSUER } from './tokens/token-issuer';
import { TokenIssuer } from './tokens/token-issuer';
import { TokenRefresher } from './tokens/token-refresher';
import { VerifiedTokens } from './tokens/verified-tokens';

const accessTokens = JwtModule.registerAsync({
  inject: [ServiceSecret],
  useFactory: (secret: ServiceSecret) => ({
    secret: secret.accessTokenKeys()[0],
    signOptions: { algorithm: 'HS256', issuer: TOKEN_ISSUER },
  }),
});

/**
 * Authentication and tokens. Folders:
 * - `clients`: clients that have signed in before
 * - `attempts`: limits on guessing
 * - `codes`: one-time codes
 * - `tokens`: access and refresh tokens
 * - `credentials`: password changes and account closing
 * - `login`: login and registration
 * - `invitations`: links that allow one person to register
 * - `pages`: pages of features, and their tokens
 * - `setup`: the first administrator
 *
 * The controllers have the routes of `/auth`.
 */
@Feature({
  folder: __dirname,
  groups: {
    'Sign-in': 'Registration, codes, passwords, identity providers and tokens.',
  },
  mails: [...Object.values(CODE_MAILS), ALREADY_REGISTERED, LINK_IDENTITY_CODE, PASSWORD_CHANGED, INVITATION],
  audits: [invitationAudit],
  configuration: [CodeConfig, TokenConfig],
  imports: [
    TypeOrmModule.forFeature([VerificationCodeEntity, AttemptLogEntity, KnownClientEntity, InvitationEntity]),
    accessTokens,
    PassportModule,
    UserModule,
    GroupModule,
    HoldModule,
    MailModule,
  ],
  controllers: [
    AuthController,
    TokenController,
    AccountController,
    SetupController,
    InvitationsController,
    PagesController,
  ],
  providers: [
    AddressHasher,
    AddressQueue,
    AttemptLog,
    KnownClients,
    DeviceCookie,
    CodeCipher,
    CodeFailures,
    CodeTries,
    CodeIssuer,
    VerificationCodes,
    SendLimits,
    CodeSender,
    LinkCodeSender,
    LinkedAddresses,
    RefreshTokens,
    TokenIssuer,
    TokenRefresher,
    DeviceTokens,
    BrowserSessions,
    LogoutAddresses,
    PasswordGate,
    AdministratorSetup,
    LoginService,
    PasswordLogin,
    InvitationsService,
    RegistrationService,
    CredentialsService,
    AccountService,
    AuthRetention,
    AuthPersonalData,
    JwtStrategy,
    VerifiedTokens,
    FeaturePages,
    PageTokens,
    { provide: TokenIdentity, useExisting: VerifiedTokens },
    { provide: PageTokenIdentity, useExisting: PageTokens },
  ],
  exports: [
    AdministratorSetup,
    FeaturePages,
    PageTokenIdentity,
    TokenIdentity,
    AddressHasher,
    AttemptLog,
    DeviceTokens,
    PasswordGate,
    DeviceCookie,
    KnownClients,
    VerificationCodes,
    LinkedAddresses,
    LogoutAddresses,
    PasswordLogin,
    BrowserSessions,
    TokenIssuer,
  ],
})
export class AuthModule {}
