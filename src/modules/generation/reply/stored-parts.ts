import type { BlobStore } from '../../../integrations/blob-store/blob-store';
import {
  type BinaryPart,
  type CompactionPart,
  contentOf,
  type MessagePart,
  type ModelFeature,
  type SearchedFile,
  type TextOfParts,
  type TextPart,
} from '../../../integrations/llm/port/message-parts';
import { featureOf as featureOfPart, type FeaturePart } from '../../../integrations/llm/port/request-features';

/** `system`: instructions that a client sent, not the agent's own prompt. */
export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A part without sealed text. */
export type OpenPart = MessagePart | SearchedFile;

export type TurnPart = OpenPart | CompactionPart;

/** A turn of a prompt. */
export interface Turn {
  role: MessageRole;
  /** The text of its parts, including tool results (`contentOf`). */
  content: string;
  /** All parts in order. Null if the turn is only text. */
  parts: readonly TurnPart[] | null;
  /** A client has added it to a conversation as a reply. Absent: unknown, or a model has written it. */
  isAdded?: boolean;
}

/** A part of a message as it is stored. */
export type StoredPart = Exclude<MessagePart, BinaryPart> | StoredFile | CompactionPart | SearchedFile;

/** An image or a file. Its bytes are stored as a blob. */
export interface StoredFile extends Omit<BinaryPart, 'data'> {
  /** SHA-256 of the bytes, in lowercase hexadecimal. */
  hash: string;
  /** Size in bytes. */
  bytes: number;
}

/** Whether a part is untrusted content: a file, a tool result sent by a client, or a summary. */
export function isFromOutside(part: StoredPart): boolean {
  return (
    isStoredFile(part) ||
    part.type === 'searched_file' ||
    part.type === 'compaction' ||
    (part.type === 'tool_result' && part.is_error === undefined)
  );
}

/**
 * Stores the bytes of parts. `TurnFiles` calls it before the transaction that stores the message.
 *
 * @throws ServiceUnavailableError while the storage is unavailable
 */
export async function storeParts(store: Pick<BlobStore, 'put'>, parts: readonly TurnPart[]): Promise<StoredPart[]> {
  const stored: StoredPart[] = [];
  for (const part of parts) {
    if (isBinary(part)) {
      const { data, ...file } = part;
      stored.push({ ...file, hash: await store.put(data), bytes: data.length });
    } else if (part.type === 'searched_file') {
      const { data, ...file } = part;
      await (data && store.put(data));
      stored.push(file);
    } else {
      stored.push(part);
    }
  }
  return stored;
}

/**
 * Loads parts for a prompt. A text replaces a file that was erased.
 *
 * @throws ServiceUnavailableError while the storage is unavailable
 */
export function loadParts(store: BlobStore, parts: readonly StoredPart[]): Promise<TurnPart[]> {
  return Promise.all(parts.map((part) => (isStoredFile(part) ? loadFile(store, part) : Promise.resolve(part))));
}

/**
 * Maximum bytes of files in a prompt: as many as one request may have. More would fill the memory, and providers refuse
 * them.
 */
const MOST_FILE_BYTES = 20 * 1_048_576;

/**
 * Loads the parts of several messages, oldest first. The newest files are loaded as long as they fit. A text replaces
 * each other file.
 *
 * @param taken bytes of other files in the prompt
 */
export async function loadAll(
  store: BlobStore,
  messages: readonly (readonly StoredPart[] | null)[],
  taken = 0,
): Promise<(TurnPart[] | null)[]> {
  let left = MOST_FILE_BYTES - taken;
  const loaded: (TurnPart[] | null)[] = [];
  for (const parts of [...messages].reverse()) {
    const limited = (parts ?? []).toReversed().map((part): StoredPart => {
      if (!isStoredFile(part)) {
        return part;
      }
      left -= part.bytes;
      return left < 0
        ? { type: 'text', text: absent(part, 'is not sent again: the files are too large together') }
        : part;
    });
    loaded.push(parts && (await loadParts(store, limited.reverse())));
  }
  return loaded.reverse();
}

/** A message with its stored parts. */
interface StoredMessage extends Omit<Turn, 'parts'> {
  parts: readonly StoredPart[] | null;
}

/** Loads one message for a prompt. @throws ServiceUnavailableError while the storage is unavailable */
export async function loadTurn(store: BlobStore, { role, content, parts }: StoredMessage): Promise<Turn> {
  return { role, content, parts: parts && (await loadParts(store, parts)) };
}

/**
 * Loads several messages, oldest first, for a prompt to models without some features.
 *
 * @param taken see `loadAll`
 */
export async function loadTurns(
  store: BlobStore,
  messages: readonly StoredMessage[],
  missing: ReadonlySet<ModelFeature>,
  taken = 0,
): Promise<Turn[]> {
  const parts = await loadAll(
    store,
    messages.map((message) => message.parts && inWords(message.parts, missing)),
    taken,
  );
  return messages.map(({ role, content }, index) => ({ role, content, parts: parts[index] ?? null }));
}

type FeatureOfStored = Omit<FeaturePart, 'type'> & Pick<StoredPart, 'type'>;

/** The features that a model needs for these parts. */
export function requiredFeatures(parts: readonly FeatureOfStored[]): Set<ModelFeature> {
  return new Set(parts.flatMap((part) => featureOf(part) ?? []));
}

/** Replaces parts that need a missing feature by a description in words. */
function inWords(parts: readonly StoredPart[], missing: ReadonlySet<ModelFeature>): StoredPart[] {
  return parts.map((part): StoredPart => {
    const feature = featureOf(part);
    return feature !== undefined && missing.has(feature) ? { type: 'text', text: wordsFor(part) } : part;
  });
}

function wordsFor(part: StoredPart): string {
  if (isStoredFile(part)) {
    return absent(part, 'is not sent: this model cannot be shown it');
  }
  return part.type === 'tool_call'
    ? `[The function ${part.name} was called with ${part.arguments}.]`
    : `[A function returned this:]\n${part.type === 'tool_result' ? part.content : ''}`;
}

function featureOf({ type, as_text }: FeatureOfStored): ModelFeature | undefined {
  return type === 'compaction' || type === 'searched_file' ? undefined : featureOfPart({ type, as_text });
}

/** The blobs of a message. One blob may occur several times. */
export function fileHashes(parts: readonly StoredPart[] | null): string[] {
  return (parts ?? []).filter(isStoredFile).map(({ hash }) => hash);
}

/** Names of images and files, one per line. Null if none has a name. */
export function fileNames(parts: readonly StoredPart[] | null): string | null {
  const files = (parts ?? []).filter((part) => isStoredFile(part) || part.type === 'searched_file');
  return files.flatMap(({ name }) => name ?? []).join('\n') || null;
}

/** Media types and names of images and files, one per line. Null if there are none. */
export function namesOfFiles(parts: readonly StoredPart[] | null): string | null {
  const files = (parts ?? []).filter((part) => isStoredFile(part) || part.type === 'searched_file');
  return files.map(({ media_type, name }) => `${media_type} ${name ?? ''}`.trim()).join('\n') || null;
}

/** Names of the called functions, one per line. Null if there are none. */
export function namesOfCalls(parts: readonly StoredPart[] | null): string | null {
  const calls = (parts ?? []).filter((part) => part.type === 'tool_call');
  return calls.map(({ name }) => name).join('\n') || null;
}

export function isStoredFile(part: StoredPart): part is StoredFile {
  return part.type === 'image' || part.type === 'file';
}

export function isBinary(part: TurnPart): part is BinaryPart {
  return part.type === 'image' || part.type === 'file';
}

async function loadFile(store: BlobStore, part: StoredFile): Promise<MessagePart> {
  const { hash, bytes: _bytes, ...file } = part;
  const data = await store.get(hash);
  return data === null ? { type: 'text', text: absent(part, 'is no longer there') } : { ...file, data };
}

/** Replaces files that models get as text, and those that they search. */
export function withFileTexts<Sent extends Pick<Turn, 'content'> & { parts: readonly OpenPart[] | null }>(
  turn: Sent,
): Omit<Sent, 'parts'> & { parts: readonly MessagePart[] | null } {
  const { parts: sent, ...rest } = turn;
  if (!sent?.some(isInWords)) {
    return { ...rest, parts: sent as readonly MessagePart[] | null };
  }
  const parts = sent.map((part) => (isInWords(part) ? toText(part) : part));
  return { ...rest, content: contentOf(parts), parts };
}

function isInWords(part: OpenPart): part is BinaryPart | SearchedFile {
  return part.type === 'searched_file' || (isBinary(part) && part.as_text === true);
}

function toText(part: BinaryPart | SearchedFile): TextPart {
  if (part.type === 'searched_file') {
    return { type: 'text', text: part.note ?? `[The file ${part.name} is not included.]` };
  }
  const { name, data } = part;
  const title = name === null ? 'a file' : `the file ${name}`;
  return { type: 'text', text: `[The text of ${title}:]\n${new TextDecoder().decode(data)}` };
}

/** The text that replaces a file in a prompt. */
function absent({ type, name }: StoredFile, why: string): string {
  return `[The ${type} ${name === null ? '' : `${name} `}${why}.]`;
}

/** The text of a turn without tool results. */
export function wordsOf({ content, parts }: { content: string; parts: TextOfParts | null }): string {
  const isOnlyWords = parts === null || parts.every(({ type }) => type !== 'tool_result');
  return isOnlyWords ? content : contentOf(parts.filter(({ type }) => type === 'text'));
}
