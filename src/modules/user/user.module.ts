import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentModule } from '../agent/agent.module';
import { AccountAdministrationService } from './account-administration.service';
import { AccountClosingService } from './closing/account-closing.service';
import { AccountErasure } from './closing/account-erasure';
import { PaymentEntity } from './entities/payment.entity';
import { ServiceSettingEntity } from './entities/service-setting.entity';
import { SessionEntity } from './entities/session.entity';
import { UserEntity } from './entities/user.entity';
import { FirstAdministrator } from './first-administrator';
import { MembershipExpiry } from './membership/membership-expiry';
import { MembershipController } from './membership/membership.controller';
import { MembershipService } from './membership/membership.service';
import { PaymentVerifier } from './membership/payment-verifier';
import { SignedTokenPaymentVerifier } from './membership/signed-token.payment-verifier';
import { PasswordService } from './passwords/password.service';
import { StoredPasswordService } from './passwords/stored-password.service';
import { AccountData } from './personal-data/account-data';
import { PersonalDataExport } from './personal-data/personal-data-export';
import { PersonalDataRegistry } from './personal-data/personal-data-registry.service';
import { PersonalDataController } from './personal-data/personal-data.controller';
import { ProfileController } from './profile/profile.controller';
import { ProfileService } from './profile/profile.service';
import { PrincipalService } from './sessions/principal.service';
import { SessionUpkeep } from './sessions/session-upkeep';
import { SessionService } from './sessions/session.service';
import { SessionsController } from './sessions/sessions.controller';
import { RegistrationPolicy } from './settings/registration-policy.service';
import { SettingsService } from './settings/settings.service';
import { UserController } from './user.controller';
import { UserService } from './user.service';

/** Who there is, what they have paid for, and where they are logged in. */
@Module({
  imports: [AgentModule, TypeOrmModule.forFeature([UserEntity, SessionEntity, PaymentEntity, ServiceSettingEntity])],
  controllers: [UserController, MembershipController, SessionsController, ProfileController, PersonalDataController],
  providers: [
    UserService,
    PasswordService,
    StoredPasswordService,
    SessionUpkeep,
    PrincipalService,
    SessionService,
    SettingsService,
    RegistrationPolicy,
    { provide: PaymentVerifier, useClass: SignedTokenPaymentVerifier },
    MembershipService,
    MembershipExpiry,
    FirstAdministrator,
    ProfileService,
    PersonalDataRegistry,
    AccountData,
    PersonalDataExport,
    AccountClosingService,
    AccountErasure,
    AccountAdministrationService,
  ],
  exports: [
    UserService,
    PasswordService,
    StoredPasswordService,
    PrincipalService,
    SessionService,
    SettingsService,
    RegistrationPolicy,
    PersonalDataRegistry,
    AccountClosingService,
    AccountAdministrationService,
  ],
})
export class UserModule {}
