/** What other modules may use of this one. */
export { AccountAdministrationService } from './account-administration.service';
export { AccountClosingService } from './closing/account-closing.service';
export { EmailField, NewPasswordField, PasswordField, UsernameField } from './dto/account-fields.dto';
export { acknowledge, AcknowledgementDto } from './dto/acknowledgement.dto';
export { type PaidPlan } from './dto/upgrade.dto';
export { UserDto } from './dto/user.dto';
export { SessionEntity } from './entities/session.entity';
export {
  MEMBERSHIP_TYPES,
  type MembershipType,
  UserEntity,
  type UserSettings,
  type UserStatus,
  type UserType,
} from './entities/user.entity';
export { PasswordService } from './passwords/password.service';
export { StoredPasswordService } from './passwords/stored-password.service';
export { PersonalDataRegistry } from './personal-data/personal-data-registry.service';
export { PrincipalService } from './sessions/principal.service';
export { SessionService } from './sessions/session.service';
export { RegistrationPolicy } from './settings/registration-policy.service';
export { SettingsService } from './settings/settings.service';
export {
  EmailAlreadyRegisteredError,
  LastAdminError,
  RegistrationDisabledError,
  UsernameTakenError,
  UserNotFoundError,
  UserNotRegisteredError,
} from './user.errors';
export {} from './user.events';
export { UserModule } from './user.module';
export { type UserChanges, UserService } from './user.service';
