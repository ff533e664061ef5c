import { type OutboundFailure, outboundFailure } from '../../../integrations/outbound-http/outbound-failure';
import type { McpFault } from '../mcp.errors';

const NO_OUTAGE: readonly McpFault[] = [
  'forbidden',
  'left_alone',
  'unauthorized',
  'authorization',
  'identity_provider',
  'refused',
];

/** The failure of an exchange with a server. It contains no text from the server. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';

  /** @param isSent whether the tool call may have reached the server */
  constructor(
    readonly fault: McpFault,
    readonly isSent = false,
    cause?: unknown,
  ) {
    super(`The server of tools failed: ${fault}.`, { cause });
  }

  /** Whether it counts as an outage of the server. */
  get isOutage(): boolean {
    return !NO_OUTAGE.includes(this.fault);
  }
}

/**
 * There was no token for a request, or the server does not accept it. This does not count as a failure of the server,
 * and the request that needed the token was not executed.
 */
export class AuthorityFailure extends McpFailure {}

/**
 * A failure of this service itself, such as its database while reading a token. This does not count as a failure of the
 * server.
 */
export class OwnFailure extends Error {
  override readonly name = 'OwnFailure';

  /** @param isSent whether the tool call may have reached the server */
  constructor(
    override readonly cause: unknown,
    readonly isSent = false,
  ) {
    super('This service could not do its part of an exchange with a server of tools.');
  }
}

export function ownFailure(error: unknown): OwnFailure {
  return error instanceof OwnFailure ? error : new OwnFailure(error);
}

const OF_CONNECTION: Partial<Record<OutboundFailure, McpFault>> = {
  forbidden_target: 'forbidden',
  timeout: 'timeout',
  invalid_response: 'invalid',
};

/** The user must visit a URL first (protocol version 2025-11-25). */
export const URL_NEEDED = -32_042;

/** JSON-RPC codes of requests that the server did not execute. */
const REFUSING_CODES: readonly unknown[] = [-32_700, -32_600, -32_601, -32_602, URL_NEEDED];

/** Statuses below 500 after which a retry may succeed. */
const PASSING_STATUSES: readonly number[] = [408, 429];

/** The status of a permanent refusal without any effect; null: the error is none. */
export function refusingStatus(error: unknown): number | null {
  const { status } = (error ?? {}) as { status?: unknown };
  const isRefusing = typeof status === 'number' && status >= 400 && status < 500 && !PASSING_STATUSES.includes(status);
  return isRefusing ? status : null;
}

/** The kind of an error from the SDK or the connection. */
export function faultOf(error: unknown): McpFault {
  const { status, code, cause } = error as { status?: unknown; code?: unknown; cause?: unknown };
  if (typeof status === 'number') {
    const isPassing = status >= 500 || PASSING_STATUSES.includes(status);
    return status === 401 || status === 403 ? 'unauthorized' : isPassing ? 'failed' : 'invalid';
  }
  // The server requests something that this service does not support, before it does anything.
  if (REFUSING_CODES.includes(code) || code === 'UNSUPPORTED_RESULT_TYPE') {
    return 'refused';
  }
  if (typeof code === 'number') {
    return 'failed';
  }
  if (code === 'REQUEST_TIMEOUT') {
    return 'timeout';
  }
  if (error instanceof McpFailure) {
    return error.fault;
  }
  if (cause instanceof Error && cause !== error) {
    return faultOf(cause);
  }
  const isOfConnection = typeof code === 'string' && /^(UND_ERR|E[A-Z]+$|ERR_|CERT_|FORBIDDEN)/.test(code);
  return isOfConnection ? (OF_CONNECTION[outboundFailure(error)] ?? 'unreachable') : 'invalid';
}
