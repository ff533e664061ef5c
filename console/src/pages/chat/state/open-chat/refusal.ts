import { type ApiError, ConnectionError, isApiError } from 'chat-service-client';
import type { LiveReply } from './live-reply';

/** What the person asked for and did not get. */
export interface Refusal {
  error: unknown;
  /** The words of a message of which nothing is stored: they go back to where they were written. */
  content?: string;
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
  if (live.content !== null && live.replaces === null) return { error, content: live.content };
  return { error, again: () => again(error instanceof ConnectionError ? live : undefined) };
}
