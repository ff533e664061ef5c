import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecret } from '../../common/security/service-secret';
import { MailModule } from '../../integrations/mail/mail.module';
import { UserModule } from '../user/user.api';
import { AccountController } from './account.controller';
import { AccountService } from './account.service';
import { AddressHasher } from './address-hasher';
import { AddressQueue } from './address-queue';
import { AttemptLog } from './attempt-log';
import { AuthConfig } from './auth.config';
import { AuthController } from './auth.controller';
import { AuthRetention } from './auth.retention';
import { CodeFailures } from './codes/code-failures';
import { CodeSender } from './codes/code-sender';
import { VerificationCodes } from './codes/verification-codes';
import { CredentialsService } from './credentials.service';
import { AttemptLogEntity } from './entities/attempt-log.entity';
import { VerificationCodeEntity } from './entities/verification-code.entity';
import { JwtStrategy } from './jwt.strategy';
import { LoginService } from './login.service';
import { PasswordGate } from './password-gate';
import { RegistrationService } from './registration.service';
import { TokenController } from './token.controller';
import { TOKEN_ISSUER } from './tokens/access-token';
import { RefreshTokens } from './tokens/refresh-tokens';
import { TokenIssuer } from './tokens/token-issuer';
import { TokenRefresher } from './tokens/token-refresher';

const accessTokens = JwtModule.registerAsync({
  inject: [ServiceSecret, AuthConfig],
  useFactory: (secret: ServiceSecret, config: AuthConfig) => ({
    secret: secret.accessTokenKeys()[0],
    signOptions: { algorithm: 'HS256', issuer: TOKEN_ISSUER, expiresIn: config.ACCESS_TOKEN_TTL },
  }),
});

/** How people prove who they are, and the tokens that they get for it. */
@Module({
  imports: [
    TypeOrmModule.forFeature([VerificationCodeEntity, AttemptLogEntity]),
    accessTokens,
    PassportModule,
    UserModule,
    MailModule,
  ],
  controllers: [AuthController, TokenController, AccountController],
  providers: [
    AddressHasher,
    AddressQueue,
    AttemptLog,
    CodeFailures,
    VerificationCodes,
    CodeSender,
    RefreshTokens,
    TokenIssuer,
    TokenRefresher,
    PasswordGate,
    LoginService,
    RegistrationService,
    CredentialsService,
    AccountService,
    AuthRetention,
    JwtStrategy,
  ],
})
export class AuthModule {}
