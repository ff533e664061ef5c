/** What other modules may use of this one. */
export { AddressHasher } from './attempts/address-hasher';
export { InvalidCredentialsError } from './attempts/attempt.errors';
export { AccountLockedError } from './attempts/attempt.errors';
export { PasswordGate } from './attempts/password-gate';
export { AuthModule } from './auth.module';
export type { AccountClient } from './clients/account-client';
export type { ClientContext } from './clients/client-context';
export { type Cookie, Cookies } from './clients/cookies';
export { DeviceCookie } from './clients/device-cookie';
export { KnownClients } from './clients/known-clients';
export { CodeField } from './codes/code.dto';
export { InvalidCodeError } from './codes/code.errors';
export { VerificationCodes } from './codes/verification-codes';
export { BrowserSessions } from './tokens/browser-sessions';
export { ApiTokens, CookieSessionDto, SessionBodyDto, TokenPairDto } from './tokens/token.dto';
export { SameOriginRequiredError } from './tokens/token.errors';
export { TokenIssuer } from './tokens/token-issuer';
