import { ProviderUnreachableError } from './provider-http';

/** Why a sign-in with a provider failed; the sentence of each for administrators is `messages.identity_fault_…`. */
export const PROVIDER_FAULTS = [
  'unreachable',
  'forbidden_target',
  'invalid_document',
  'wrong_issuer',
  'no_keys',
  'unknown_key',
  'bad_signature',
  'clock',
  'wrong_token',
  'refused_client',
  'refused',
  'no_subject',
] as const;

export type ProviderFault = (typeof PROVIDER_FAULTS)[number];

/** The provider does not do what it should. What it said goes to the log, never to the person who signs in. */
export class ProviderFaultError extends Error {
  override readonly name = 'ProviderFaultError';

  constructor(
    readonly fault: ProviderFault,
    cause?: unknown,
  ) {
    super(`The provider of identities failed: ${fault}.`, { cause });
  }
}

interface LibraryError {
  code?: unknown;
  error?: unknown;
}

/** The meaning of an error of the libraries or of a request. */
export function toProviderFault(error: unknown): ProviderFaultError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderFaultError) {
      return cause;
    }
    if (cause instanceof ProviderUnreachableError) {
      const isForbidden = cause.failure === 'forbidden_target';
      return new ProviderFaultError(isForbidden ? 'forbidden_target' : 'unreachable', error);
    }
    const { code, error: answered } = cause as LibraryError;
    if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' || code === 'ERR_JWT_EXPIRED') {
      return new ProviderFaultError('clock', error);
    }
    if (code === 'OAUTH_RESPONSE_BODY_ERROR' || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') {
      return new ProviderFaultError(answered === 'invalid_grant' ? 'refused' : 'refused_client', error);
    }
  }
  return new ProviderFaultError('wrong_token', error);
}
