import type { EntityManager } from 'typeorm';
import { API_PREFIX } from '../../../common/http/api-prefix';
import type { Language } from '../../../common/i18n/language';
import { contentOf, type ImageDetail, type TextPart } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type {
  FileSearch,
  GenerationOptions,
  GenerationTask,
  PolicyOverrides,
  RemoteAccess,
  RepeatableRequest,
  Sender,
  Turn,
} from '../../generation/generation.api';
import type { SentUse } from '../../knowledge/knowledge.api';
import type { ReplyAgent } from '../options/reply-agents';
import type { SentPartDto } from './sent-part.dto';

/** A client's message: its text, and its parts in order; null if it sent no parts. */
export interface SentMessage {
  content: string;
  parts: readonly SentPart[] | null;
}

/** A part of a message as sent by a client. */
export type SentPart = TextPart | SentFile;

/** An image or a file: a URL, the hash of a file in the user's messages, or the id of an uploaded file. */
export interface SentFile {
  type: 'image' | 'file';
  /** Its path in the request, such as `parts[1]`. */
  field: string;
  url: string;
  hash: string | null;
  fileId: number | null;
  name: string | null;
  detail: ImageDetail | null;
  use: SentUse;
}

/**
 * A request for a reply. Each entry point (a controller, another API) creates one from its input and passes it to
 * `ExchangeService.start`. It depends on neither HTTP nor a DTO.
 */
export interface ExchangeRequest {
  sender: Sender;
  /** The conversation; an object: the exchange creates one. */
  chatId: number | NewConversation;
  subject: Subject;
  /** Language tag of the reply. Null: the language of the message, or else of the conversation. */
  language: string | null;
  /** Whether the reply is stopped when its last reader disconnects. */
  endsWithReaders: boolean;
  /** Whether this request stops a running reply in the same conversation that has no readers. */
  endsUnread: boolean;
  /** Identifies a repeated request. */
  repeatable: RepeatableRequest;
  /** The agent that answers; absent: the agent of the conversation. */
  agent?: ReplyAgent;
  /** Absent: the settings of the agent, without client functions. */
  options?: GenerationOptions;
  /** The tightening of the agent's policies; absent: that of the replaced reply. */
  tightening?: PolicyOverrides;
  /** The search of documents that the request defines; absent: none. */
  fileSearch?: FileSearch | undefined;
  /** MCP servers that the request lists by URL; absent: none. */
  remote?: RemoteAccess;
  /** Stops reading files when the client disconnects; absent: not aborted. */
  signal?: AbortSignal;
  /** Bytes stored by `keep` that count for the user's storage; absent: none. */
  keptBytes?: number;
  /** Stores the entry point's own rows, in the transaction that starts the exchange. */
  keep?: (manager: EntityManager, stored: StoredExchange) => Promise<void>;
  /** Stores the entry point's rows at the end of the reply, in its transaction. A crash may skip it. */
  keepEnd?: GenerationTask['keepEnd'];
}

/** A conversation that is created with its first exchange. */
export interface NewConversation {
  agent: Agent;
  /** The language of its placeholder title. */
  language: Language;
}

/** The rows of an exchange that has started. */
export interface StoredExchange {
  chatId: number;
  userMessageId: number;
  messageId: number;
  startedAt: Date;
}

/** The message to answer. */
export type Subject = StoredSubject | ShownSubject;

export type StoredSubject =
  /** A new message at the end of the current line. */
  | ({ kind: 'new' } & SentMessage)
  /** An edit of one of the user's messages. */
  | ({ kind: 'edit'; messageId: number } & SentMessage)
  /** Another reply to a message of the user. `messageId` is that message or a reply to it. */
  | Regeneration
  | TurnsSubject;

export interface Regeneration {
  kind: 'regenerate';
  messageId: number;
  /** Repeats a request whose reply (`messageId`) was ended by a crash. Its question may have any role. */
  isRepeated?: true;
}

/** A client's turns, of which the last is answered. */
export interface TurnsSubject {
  kind: 'turns';
  turns: readonly Turn[];
  /** The message that the turns follow; if it is not the last, they start a branch. Null: the end of the line. */
  after: number | null;
}

/** A message named by a page that has only some of the stored IDs. `ExchangeReader` finds the stored message. */
export interface ShownSubject extends SentMessage {
  kind: 'shown';
  wish: 'edit' | 'regenerate';
  /** A stored ID; null: the page names none. */
  messageId: number | null;
  /** Null: the client shows no messages. */
  page: ShownMessages | null;
}

/** The last messages that a page shows. Replies and older messages have stored IDs; the page invented the other IDs. */
export interface ShownMessages {
  /** Whether the request names a message, even by an ID that the page invented. */
  namesMessage: boolean;
  /** The last message with a stored ID; null: there is none. */
  knownId: number | null;
  /** Texts of the user's messages after that message, in order. The request is about the last of them. */
  texts: string[];
}

/** AI SDK pages send back the URLs that they received. */
const OWN_FILE = new RegExp(`^/${API_PREFIX}/chat/\\d+/messages/\\d+/files/([0-9a-f]{64})$`);

/** The message in a request body. Its content precedes its parts, unless their texts are equal to it. */
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

function toSentPart(
  { type, text = '', url = '', file, file_id: fileId, ...more }: SentPartDto,
  index: number,
): SentPart {
  if (type === 'text') {
    return { type, text };
  }
  const isImage = type === 'image' || /^image\//i.test(more.mediaType ?? '') || /^data:image\//i.test(url.slice(0, 20));
  return {
    type: isImage ? 'image' : 'file',
    field: `parts[${index}]`,
    url,
    hash: file ?? OWN_FILE.exec(url)?.[1] ?? null,
    fileId: fileId ?? null,
    name: more.name ?? more.filename ?? null,
    detail: more.detail ?? null,
    use: more.use ?? 'auto',
  };
}
