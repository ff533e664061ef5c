/** What other modules may use of this one. */
export { EmailField, UsernameField } from './account/account-fields.dto';
export { type PaidPlan } from './account/plans';
export { UserDto } from './account/user.dto';
export {
  MEMBERSHIP_TYPES,
  type MembershipType,
  UserEntity,
  type UserSettings,
  type UserStatus,
  type UserType,
} from './account/user.entity';
export {
  EmailAlreadyRegisteredError,
  LastAdminError,
  RegistrationDisabledError,
  UsernameTakenError,
  UserNotFoundError,
  UserNotRegisteredError,
} from './account/user.errors';
export {} from './account/user.events';
export { AccountAdministrationService } from './management/account-administration.service';
export { AccountClosingService } from './management/account-closing.service';
export { type UserChanges, UserService } from './management/user.service';
export { PasswordService } from './passwords/password.service';
export { NewPasswordField, PasswordField } from './passwords/password-fields.dto';
export { StoredPasswordService } from './passwords/stored-password.service';
export { PersonalDataRegistry } from './personal-data/personal-data-registry';
export { PrincipalService } from './sessions/principal.service';
export { SessionEntity } from './sessions/session.entity';
export { SessionService } from './sessions/session.service';
export { RegistrationPolicy } from './settings/registration-policy.service';
export { SettingsService } from './settings/settings.service';
export { UserModule } from './user.module';
