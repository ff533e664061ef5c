import type { Spender } from '../../usage/usage.api';
import type { RepeatableRequest } from '../idempotency/idempotency.service';

/**
 * What a client asks for. Each entry (a controller, another API) makes one from what it reads, and gives it to
 * `ExchangeService.start`. Nothing here depends on HTTP or a DTO.
 */
export interface ExchangeRequest {
  sender: Sender;
  chatId: number;
  subject: Subject;
  /** Language tag of the reply. Null: the language of the message; without one, of the conversation. */
  language: string | null;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  /** Whether a running reply in the same chat is stopped for this one when nobody reads it any more. */
  endsUnread: boolean;
  /** Recognizes a repetition of the request. */
  repeatable: RepeatableRequest;
}

/** Who asks, and with which request: the log names it when the reply fails later. */
export interface Sender extends Spender {
  /** X-Request-Id. */
  requestId: string;
}

/** The message that is answered. */
export type Subject = StoredSubject | ShownSubject;

export type StoredSubject =
  /** A new message at the end of the current line. */
  | { kind: 'new'; content: string }
  /** Another wording of a message of the user. */
  | { kind: 'edit'; messageId: number; content: string }
  /** Another reply to a message of the user. `messageId` names that message or a reply to it. */
  | { kind: 'regenerate'; messageId: number };

/** A message named by a page that knows only some of our ids. `ExchangeReader` finds the stored message. */
export interface ShownSubject {
  kind: 'shown';
  wish: 'edit' | 'regenerate';
  /** An id of ours; null: the page names none. */
  messageId: number | null;
  content: string;
  /** Null: the client shows no messages. */
  page: ShownMessages | null;
}

/** The last messages that a page shows. Replies and older messages have our ids; for the others the page made ids up. */
export interface ShownMessages {
  /** Whether the request names a message, even by an id that the page made up. */
  namesMessage: boolean;
  /** The last message with an id of ours; null: there is none. */
  knownId: number | null;
  /** Texts of the user's messages after that one, in order. The request is about the last of them. */
  texts: string[];
}
