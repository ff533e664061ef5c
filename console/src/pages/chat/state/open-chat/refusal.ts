import { type ApiError, ConnectionError, isApiError } from 'chat-service-client';
import type { LiveReply, NewMessage } from './live-reply';

/** What the person asked for and did not get. */
export interface Refusal {
  error: unknown;
  /** A message of which nothing is stored: it goes back to where it was written. */
  message?: NewMessage;
  /** Asks for it again. */
  again?: () => void;
}

/** Asks for a reply again. `former` is the same request, which nobody answered: the service serves both once. */
export type Again = (former?: LiveReply) => void;

/** Whether a failure was stored with the reply that it names, and so is shown in its place. */
export function isStoredFailure(error: unknown): error is ApiError & { details: { message_id: number } } {
  return isApiError(error) && error.status !== 409 && typeof error.details['message_id'] === 'number';
}

export function refusalOf(live: LiveReply, error: unknown, again: Again): Refusal {
  // A reply that has begun is with the service, so it is read and never asked for again.
  if (live.messageId.peek() !== null) return { error };
  if (live.content !== null && live.replaces === null) {
    return { error, message: { content: live.content, files: live.files } };
  }
  return { error, again: () => again(error instanceof ConnectionError ? live : undefined) };
}
