/** What other modules may use of this one. */
export { AddressHasher } from './attempts/address-hasher';
export { InvalidCredentialsError } from './attempts/attempt.errors';
export { AccountLockedError } from './attempts/attempt.errors';
export { PasswordGate } from './attempts/password-gate';
export { AuthModule } from './auth.module';
export type { ClientContext } from './clients/client-context';
export { DeviceCookie } from './clients/device-cookie';
export { KnownClients } from './clients/known-clients';
export { CodeField } from './codes/code.dto';
export { InvalidCodeError, LoginCodeInvalidError } from './codes/code.errors';
export { type LinkedAddress, LinkedAddresses } from './codes/linked-addresses';
export { type CheckedCode, VerificationCodes } from './codes/verification-codes';
export { PasswordLogin } from './login/password-login';
export { BrowserSessions } from './tokens/browser-sessions';
export { LogoutAddresses, type LogoutFinder } from './tokens/logout-addresses';
export { ApiTokens, CookieSessionDto, SessionBodyDto, TokenPairDto } from './tokens/token.dto';
export { SameOriginRequiredError } from './tokens/token.errors';
export { TokenIssuer } from './tokens/token-issuer';
