import type { EntityManager } from 'typeorm';
import { API_PREFIX } from '../../../common/http/api-prefix';
import type { Language } from '../../../common/i18n/language';
import { contentOf, type ImageDetail, type TextPart } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type {
  GenerationOptions,
  GenerationTask,
  PolicyOverrides,
  RemoteAccess,
  RepeatableRequest,
  Sender,
  Turn,
} from '../../generation/generation.api';
import type { ReplyAgent } from '../options/reply-agents';
import type { SentPartDto } from './sent-part.dto';

/** What a client says: its text, and its parts in their order; null when it named none. */
export interface SentMessage {
  content: string;
  parts: readonly SentPart[] | null;
}

/** A part of a message as a client sends it. */
export type SentPart = TextPart | SentFile;

/** An image or a file: a URL, or the hash of a file that the user has. */
export interface SentFile {
  type: 'image' | 'file';
  /** Where it stands in the request, as `parts[1]`. */
  field: string;
  url: string;
  hash: string | null;
  name: string | null;
  detail: ImageDetail | null;
}

/**
 * What a client asks for. Each entry (a controller, another API) makes one from what it reads, and gives it to
 * `ExchangeService.start`. Nothing here depends on HTTP or a DTO.
 */
export interface ExchangeRequest {
  sender: Sender;
  /** The conversation; an object: the exchange makes one. */
  chatId: number | NewConversation;
  subject: Subject;
  /** Language tag of the reply. Null: the language of the message; without one, of the conversation. */
  language: string | null;
  /** Whether the reply is stopped when its last reader leaves. */
  endsWithReaders: boolean;
  /** Whether a running reply in the same chat is stopped for this one when nobody reads it any more. */
  endsUnread: boolean;
  /** Recognizes a repetition of the request. */
  repeatable: RepeatableRequest;
  /** Who answers instead of the conversation's agent; absent: that agent. */
  agent?: ReplyAgent;
  /** Absent: the model answers as the agent says, and is not offered functions. */
  options?: GenerationOptions;
  /** How it tightens the policies of the agent; absent: no more than the reply that it replaces. */
  tightening?: PolicyOverrides;
  /** Servers of tools that it names by their addresses; absent: none. */
  remote?: RemoteAccess;
  /** Ends the reading of files early, because the client is gone; absent: it is not waited for. */
  signal?: AbortSignal;
  /** Bytes of what `keep` stores that count for the storage of the user; absent: none. */
  keptBytes?: number;
  /** Stores what the entry keeps of its own, in the transaction in which the exchange begins. */
  keep?: (manager: EntityManager, stored: StoredExchange) => Promise<void>;
  /** The same for what is only known when the reply ends, in that transaction. A crash may leave it out. */
  keepEnd?: GenerationTask['keepEnd'];
}

/** A conversation that is made with its first exchange. */
export interface NewConversation {
  agent: Agent;
  /** The language of its title until it has one. */
  language: Language;
}

/** The rows of an exchange that has begun. */
export interface StoredExchange {
  chatId: number;
  userMessageId: number;
  messageId: number;
  startedAt: Date;
}

/** The message that is answered. */
export type Subject = StoredSubject | ShownSubject;

export type StoredSubject =
  /** A new message at the end of the current line. */
  | ({ kind: 'new' } & SentMessage)
  /** Another wording of a message of the user. */
  | ({ kind: 'edit'; messageId: number } & SentMessage)
  /** Another reply to a message of the user. `messageId` names that message or a reply to it. */
  | Regeneration
  | TurnsSubject;

export interface Regeneration {
  kind: 'regenerate';
  messageId: number;
  /** Repeats a request whose reply, which `messageId` names, was cut by a crash: its question may be of any role. */
  isRepeated?: true;
}

/** What a program sends: one turn or several, of which the last is answered. */
export interface TurnsSubject {
  kind: 'turns';
  turns: readonly Turn[];
  /** The message that they follow, which makes a branch when it is not the last one; null: the end of the line. */
  after: number | null;
}

/** A message named by a page that knows only some of our ids. `ExchangeReader` finds the stored message. */
export interface ShownSubject extends SentMessage {
  kind: 'shown';
  wish: 'edit' | 'regenerate';
  /** An id of ours; null: the page names none. */
  messageId: number | null;
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

/** Pages of the AI SDK send back the URLs that they were given. */
const OWN_FILE = new RegExp(`^/${API_PREFIX}/chat/\\d+/messages/\\d+/files/([0-9a-f]{64})$`);

/** The message that a body has: its content comes before its parts, unless these say the same. */
export function sentMessage({ content, parts }: { content?: string | null; parts?: SentPartDto[] }): SentMessage {
  if (parts === undefined) {
    return { content: content ?? '', parts: null };
  }
  const sent = parts.map(toSentPart).filter((part) => part.type !== 'text' || part.text !== '');
  const hasContent = (content ?? '') !== '' && content !== textsOf(sent);
  const all: SentPart[] = hasContent ? [{ type: 'text', text: content as string }, ...sent] : sent;
  return { content: textsOf(all), parts: all };
}

export function isSentFile(part: SentPart): part is SentFile {
  return part.type !== 'text';
}

function textsOf(parts: readonly SentPart[]): string {
  return contentOf(parts.filter((part) => part.type === 'text'));
}

function toSentPart({ type, text = '', url = '', file, ...more }: SentPartDto, index: number): SentPart {
  if (type === 'text') {
    return { type, text };
  }
  const isImage = type === 'image' || /^image\//i.test(more.mediaType ?? '') || /^data:image\//i.test(url.slice(0, 20));
  return {
    type: isImage ? 'image' : 'file',
    field: `parts[${index}]`,
    url,
    hash: file ?? OWN_FILE.exec(url)?.[1] ?? null,
    name: more.name ?? more.filename ?? null,
    detail: more.detail ?? null,
  };
}
