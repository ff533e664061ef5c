/** What a target answered, as far as it was read; nothing in it can be trusted. */
export interface OutboundAnswer {
  status: number;
  /** The header as it came. */
  retryAfter: string | null;
  /** The beginning of the body, as text. */
  body: string;
}

/** Why there is no answer; safe to be shown to whoever chose the target. */
export type OutboundFailure =
  | 'timeout'
  | 'forbidden_target'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'connection_closed'
  | 'tls_failed'
  | 'invalid_response'
  | 'aborted';

export type OutboundResult = { answer: OutboundAnswer } | { failure: OutboundFailure };
