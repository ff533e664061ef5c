import { ProviderUnreachableError } from './provider-http';

/** Why a sign-in with a provider failed, with a message for administrators. */
export const PROVIDER_FAULTS = {
  unreachable: 'messages.identity_fault_unreachable',
  forbidden_target: 'messages.identity_fault_forbidden_target',
  invalid_document: 'messages.identity_fault_invalid_document',
  wrong_issuer: 'messages.identity_fault_wrong_issuer',
  no_keys: 'messages.identity_fault_no_keys',
  unknown_key: 'messages.identity_fault_unknown_key',
  bad_signature: 'messages.identity_fault_bad_signature',
  clock: 'messages.identity_fault_clock',
  wrong_token: 'messages.identity_fault_wrong_token',
  refused_client: 'messages.identity_fault_refused_client',
  refused: 'messages.identity_fault_refused',
  no_subject: 'messages.identity_fault_no_subject',
} as const;

export type ProviderFault = keyof typeof PROVIDER_FAULTS;

/** The provider failed. Details go to the log, never to the user who signs in. */
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

/** Maps an error of the libraries or of a request to a fault. */
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

/** The provider's error code (RFC 6749 §5.2). Null if it sent none. */
export function refusalCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: code } = cause as LibraryError;
    if (typeof code === 'string' && /^[a-z_]{1,64}$/.test(code)) {
      return code;
    }
  }
  return null;
}

/**
 * The loggable part of an error. The libraries attach whole responses, with tokens, to their errors, so only messages
 * are used.
 */
export function faultReason(error: unknown): string {
  const sentences: string[] = [];
  for (let cause = error; cause instanceof Error && sentences.length < 5; cause = cause.cause) {
    sentences.push(cause.message);
  }
  return sentences.join(' ');
}
