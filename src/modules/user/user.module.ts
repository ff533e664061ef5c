import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { AgentModule } from '../agent/agent.api';
import { HoldModule } from '../hold/hold.api';
import { userAudit } from './account/user.audit';
import { UserEntity } from './account/user.entity';
import { USER_EVENTS } from './account/user.events';
import { AccountAdministrationService } from './management/account-administration.service';
import { AccountClosingService } from './management/account-closing.service';
import { ClosingConfig } from './management/closing.config';
import { FirstAdministrator } from './management/first-administrator';
import { FirstAdministratorConfig } from './management/first-administrator.config';
import { UserService } from './management/user.service';
import { UserDirectoryQuery } from './management/user-directory.query';
import { MembershipConfig } from './membership/membership.config';
import { MembershipController } from './membership/membership.controller';
import { MembershipRetention } from './membership/membership.retention';
import { MembershipService } from './membership/membership.service';
import { PaymentEntity } from './membership/payment.entity';
import { PaymentVerifier } from './membership/payment-verifier';
import { SignedTokenPaymentVerifier } from './membership/signed-token-payment-verifier';
import { PasswordService } from './passwords/password.service';
import { StoredPasswordService } from './passwords/stored-password.service';
import { AccountPersonalData } from './personal-data/account.personal-data';
import { AccountRetention } from './personal-data/account.retention';
import { ErasurePauseConfig } from './personal-data/erasure-pause.config';
import { PersonalDataController } from './personal-data/personal-data.controller';
import { PersonalDataExport } from './personal-data/personal-data-export';
import { PersonalDataRegistry } from './personal-data/personal-data-registry';
import { ProfileController } from './profile/profile.controller';
import { ProfileService } from './profile/profile.service';
import { UserController } from './profile/user.controller';
import { AdminSessionsController } from './sessions/admin-sessions.controller';
import { AdminSessionsService } from './sessions/admin-sessions.service';
import { DEVICE_EVENTS } from './sessions/device.events';
import { PrincipalService } from './sessions/principal.service';
import { sessionAudit } from './sessions/session.audit';
import { SessionEntity } from './sessions/session.entity';
import { SessionQuery } from './sessions/session.query';
import { SessionRetention } from './sessions/session.retention';
import { SessionService } from './sessions/session.service';
import { SessionAssertions } from './sessions/session-assertions';
import { SessionsController } from './sessions/sessions.controller';
import { BrandingController } from './settings/branding.controller';
import { RegistrationPolicy } from './settings/registration-policy.service';
import { ServiceSettingEntity } from './settings/service-setting.entity';
import { SettingsService } from './settings/settings.service';
import { ACCOUNT_DELETED, ACCOUNT_RESTORED } from './user.mails';

/**
 * Accounts, paid plans and sessions. Folders, each of which depends only on those before it:
 * - `account`: the account's row and its rules
 * - `settings`: settings of the installation
 * - `sessions` and `passwords`: logins and password hashes
 * - `management`: creates, changes and closes accounts
 * - `membership`: paid plans
 * - `profile`: users' changes to their own data
 * - `personal-data`: exports and erases users' data
 */
@Feature({
  folder: __dirname,
  groups: { Account: 'Your profile, settings, sessions, identities, export and account closure.' },
  exposes: ['Content-Disposition'],
  events: [...USER_EVENTS, ...DEVICE_EVENTS],
  audits: [userAudit, sessionAudit],
  mails: [ACCOUNT_DELETED, ACCOUNT_RESTORED],
  configuration: [ClosingConfig, ErasurePauseConfig, FirstAdministratorConfig, MembershipConfig],
  imports: [
    AgentModule,
    HoldModule,
    RateLimitStorageModule,
    TypeOrmModule.forFeature([UserEntity, SessionEntity, PaymentEntity, ServiceSettingEntity]),
  ],
  controllers: [
    BrandingController,
    UserController,
    MembershipController,
    SessionsController,
    AdminSessionsController,
    ProfileController,
    PersonalDataController,
  ],
  providers: [
    UserService,
    PasswordService,
    StoredPasswordService,
    SessionRetention,
    PrincipalService,
    SessionService,
    SessionAssertions,
    SessionQuery,
    AdminSessionsService,
    UserDirectoryQuery,
    SettingsService,
    RegistrationPolicy,
    { provide: PaymentVerifier, useClass: SignedTokenPaymentVerifier },
    MembershipService,
    MembershipRetention,
    FirstAdministrator,
    ProfileService,
    PersonalDataRegistry,
    AccountPersonalData,
    PersonalDataExport,
    AccountClosingService,
    AccountRetention,
    AccountAdministrationService,
  ],
  exports: [
    UserService,
    PasswordService,
    StoredPasswordService,
    PrincipalService,
    SessionService,
    SessionAssertions,
    SessionQuery,
    UserDirectoryQuery,
    SettingsService,
    RegistrationPolicy,
    PersonalDataRegistry,
    AccountClosingService,
    AccountAdministrationService,
  ],
})
export class UserModule {}
