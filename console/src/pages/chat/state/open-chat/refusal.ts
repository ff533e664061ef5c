import { type ApiError, ConnectionError, isApiError } from 'chat-service-client';
import type { LiveReply, NewMessage } from './live-reply';

/** A failed request of the user. */
export interface Refusal {
  error: unknown;
  /** A message that was not stored. Its text returns to the input. */
  message?: NewMessage;
  /** Repeats the request. */
  again?: () => void;
}

/**
 * Requests a reply again. `former` is the same request without a response; it has the same idempotency key, so the
 * service handles both only once.
 */
export type Again = (former?: LiveReply) => void;

/** Whether the failure is stored with a reply, which then shows it. */
export function isStoredFailure(error: unknown): error is ApiError & { details: { message_id: number } } {
  return isApiError(error) && error.status !== 409 && typeof error.details['message_id'] === 'number';
}

export function refusalOf(live: LiveReply, error: unknown, again: Again): Refusal {
  // The service has a reply that has started, so it can be read again but must not be requested again.
  if (live.messageId.peek() !== null) return { error };
  if (live.content !== null && live.replaces === null) {
    return { error, message: { content: live.content, files: live.files } };
  }
  return { error, again: () => again(error instanceof ConnectionError ? live : undefined) };
}
