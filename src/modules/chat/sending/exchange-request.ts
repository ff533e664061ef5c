import type { Principal } from '../../../common/security/principal';
import type { RepeatableRequest } from '../idempotency/idempotency.service';

/**
 * What a client asks for. Each door (a controller, a dialect of another API) makes one of these from what it reads, and
 * hands it to `ExchangeService.start`. Nothing here knows HTTP or a DTO.
 */
export interface ExchangeRequest {
  sender: Sender;
  chatId: number;
  subject: Subject;
  /** Language tag of the reply; null: the message decides, else the conversation. */
  language: string | null;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  /** Whether a reply in the same chat that nobody reads any more is stopped for this one. */
  endsUnread: boolean;
  /** By what a repetition of the request is known. */
  repeatable: RepeatableRequest;
}

/** Who asks, and by which request: the log names it when the reply fails later. */
export interface Sender extends Pick<Principal, 'userId' | 'tier'> {
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
  /** Another reply to a message of the user; its reply may be named instead. */
  | { kind: 'regenerate'; messageId: number };

/** A message as a page names it that knows our ids for some messages only; `ExchangeReader` finds the stored one. */
export interface ShownSubject {
  kind: 'shown';
  wish: 'edit' | 'regenerate';
  /** An id of ours; null: the page names none. */
  messageId: number | null;
  content: string;
  /** Null: the client shows no messages. */
  page: ShownMessages | null;
}

/** The end of what a page shows. It knows ids of ours for replies and for history, and made up the others. */
export interface ShownMessages {
  /** Whether the request names a message, even by an id that the page made up. */
  namesMessage: boolean;
  /** The last message with an id of ours; null: there is none. */
  knownId: number | null;
  /** Texts of the user's messages after that one (or that one's own); the request is about the last of them. */
  texts: string[];
}
