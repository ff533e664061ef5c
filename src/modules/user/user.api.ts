/** The public API of this module. */
export { EmailField, UsernameField } from './account/account-fields.dto';
export { isErasedSql, isUserBannedSql, mayCallSql } from './account/account-status';
export { isPlainEmail, normalizeEmail } from './account/email-address';
export { type PaidPlan } from './account/plans';
export { serviceAddress } from './account/service-account';
export { parseSettings, selectSettings } from './account/stored-settings';
export { userAudit } from './account/user.audit';
export { AccountDto, UserDto } from './account/user.dto';
export { MEMBERSHIP_TYPES, type MembershipType, type User } from './account/user.entity';
export {
  AdminNotErasableError,
  EmailAlreadyRegisteredError,
  LastAdminError,
  RegistrationDisabledError,
  UsernameTakenError,
  UserNotFoundError,
  UserNotRegisteredError,
} from './account/user.errors';
export { isUsername } from './account/username';
export { AccountAdministrationService } from './management/account-administration.service';
export { AccountClosingService } from './management/account-closing.service';
export { type UserChanges, UserService } from './management/user.service';
export { UserDirectoryQuery, type UserFilter, type UserOrder } from './management/user-directory.query';
export { PasswordService } from './passwords/password.service';
export { NewPasswordField, PasswordField } from './passwords/password-fields.dto';
export { StoredPasswordService } from './passwords/stored-password.service';
export { ErasurePauseConfig } from './personal-data/erasure-pause.config';
export { LongText } from './personal-data/export-row';
export { PersonalDataRegistry } from './personal-data/personal-data-registry';
export { deviceApproved } from './sessions/device.events';
export { PrincipalService } from './sessions/principal.service';
export { sessionAudit } from './sessions/session.audit';
export type { Session } from './sessions/session.entity';
export { SessionQuery } from './sessions/session.query';
export {
  type NewSession,
  type OpenSession,
  type SessionDevice,
  type SessionOrigin,
  SessionService,
} from './sessions/session.service';
export { type SealedAssertion, type SessionAssertion, SessionAssertions } from './sessions/session-assertions';
export { BrandingDto } from './settings/branding.dto';
export { RegistrationPolicy } from './settings/registration-policy.service';
export {
  DEFAULT_NAME,
  DEVICE_LOGINS,
  type DeviceLoginRule,
  PASSWORD_LOGINS,
  type PasswordLoginRule,
  type ServiceSettings,
  SettingsService,
  SHARING,
  type Sharing,
} from './settings/settings.service';
export { ACCOUNT_DELETED, ACCOUNT_RESTORED } from './user.mails';
export { UserModule } from './user.module';
