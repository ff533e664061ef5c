import { ForbiddenTargetError } from './target-guard';

const CONNECTION_FAILED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|ETIMEDOUT)$/;
const CONNECTION_CLOSED = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;
const TLS_FAILED = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;
const INVALID_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE|UND_ERR_INVALID)/;

/** Why there is no response. It may be shown to the user who chose the target. */
export type OutboundFailure =
  | 'timeout'
  | 'forbidden_target'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'connection_closed'
  | 'tls_failed'
  | 'invalid_response'
  | 'aborted';

/**
 * The meaning of an HTTP client error. Its text is not passed on, because it may reveal facts about the internal
 * network.
 */
export function outboundFailure(error: unknown): OutboundFailure {
  if (error instanceof ForbiddenTargetError) {
    return error.reason === 'unresolved' ? 'name_not_resolved' : 'forbidden_target';
  }
  const { name, code } = error as { name?: unknown; code?: unknown };
  const text = typeof code === 'string' ? code : '';
  if (text === 'UND_ERR_CONNECT_TIMEOUT' || text === 'UND_ERR_HEADERS_TIMEOUT') {
    return 'timeout';
  }
  if (CONNECTION_CLOSED.test(text)) {
    return 'connection_closed';
  }
  if (TLS_FAILED.test(text)) {
    return 'tls_failed';
  }
  if (name === 'HTTPParserError' || INVALID_RESPONSE.test(text)) {
    return 'invalid_response';
  }
  return CONNECTION_FAILED.test(text) ? 'connection_failed' : 'connection_closed';
}
