import type { BlobStore } from '../../../integrations/blob-store/blob-store';
import {
  type BinaryPart,
  type CompactionPart,
  contentOf,
  type MessagePart,
  type ModelFeature,
  type TextOfParts,
} from '../../../integrations/llm/port/message-parts';
import { FEATURES } from '../../../integrations/llm/port/request-features';

/** `system`: what a program told the model, not the agent's own prompt. */
export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A part of a turn. */
export type TurnPart = MessagePart | CompactionPart;

/** One turn of what a model is told. */
export interface Turn {
  role: MessageRole;
  /** The text of its parts, results of functions included (`contentOf`). */
  content: string;
  /** All its parts in their order; null when it is nothing but text. */
  parts: readonly TurnPart[] | null;
}

/** A part of a message as the database has it. */
export type StoredPart = Exclude<MessagePart, BinaryPart> | StoredFile | CompactionPart;

/** An image or a file: its bytes are a blob. */
export interface StoredFile extends Omit<BinaryPart, 'data'> {
  /** SHA-256 of the bytes, in hexadecimal digits of lower case. */
  hash: string;
  /** How many bytes it has. */
  bytes: number;
}

/** Whether others may have written what a part says: a file, a result of a client's function, or a summary. */
export function isFromOutside(part: StoredPart): boolean {
  return (
    isStoredFile(part) || part.type === 'compaction' || (part.type === 'tool_result' && part.is_error === undefined)
  );
}

/**
 * Stores the bytes of parts. `TurnFiles` calls it before the transaction that stores the message.
 *
 * @throws ServiceUnavailableError while the store is away
 */
export async function storeParts(
  store: Pick<BlobStore, 'put'>,
  parts: readonly (MessagePart | CompactionPart)[],
): Promise<StoredPart[]> {
  const stored: StoredPart[] = [];
  for (const part of parts) {
    if (isBinary(part)) {
      const { data, ...file } = part;
      stored.push({ ...file, hash: await store.put(data), bytes: data.length });
    } else {
      stored.push(part);
    }
  }
  return stored;
}

/**
 * The parts as a model is told them. A file that was erased is named by a sentence in its place.
 *
 * @throws ServiceUnavailableError while the store is away
 */
export function loadParts(store: BlobStore, parts: readonly StoredPart[]): Promise<(MessagePart | CompactionPart)[]> {
  return Promise.all(parts.map((part) => (isStoredFile(part) ? loadFile(store, part) : Promise.resolve(part))));
}

/**
 * Bytes of files that a model is told of several messages: as many as one request may bring. More would fill the memory, and
 * providers refuse them.
 */
const MOST_FILE_BYTES = 20 * 1_048_576;

/**
 * The same for several messages, the oldest first. The newest files come along as long as there is room; each other one is
 * named by a sentence in its place.
 *
 * @param taken bytes of files that are told beside them
 */
export async function loadAll(
  store: BlobStore,
  messages: readonly (readonly StoredPart[] | null)[],
  taken = 0,
): Promise<((MessagePart | CompactionPart)[] | null)[]> {
  let left = MOST_FILE_BYTES - taken;
  const loaded: ((MessagePart | CompactionPart)[] | null)[] = [];
  for (const parts of [...messages].reverse()) {
    const told = (parts ?? []).toReversed().map((part): StoredPart => {
      if (!isStoredFile(part)) {
        return part;
      }
      left -= part.bytes;
      return left < 0
        ? { type: 'text', text: absent(part, 'is not sent again: the files are too large together') }
        : part;
    });
    loaded.push(parts && (await loadParts(store, told.reverse())));
  }
  return loaded.reverse();
}

/** A message with its parts as they are stored. */
interface StoredMessage extends Omit<Turn, 'parts'> {
  parts: readonly StoredPart[] | null;
}

/** A message as a model is told it. @throws ServiceUnavailableError while the store is away */
export async function loadTurn(store: BlobStore, { role, content, parts }: StoredMessage): Promise<Turn> {
  return { role, content, parts: parts && (await loadParts(store, parts)) };
}

/**
 * Several messages, the oldest first, as models are told them that do not have some features.
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

/** What models need that are told these parts. */
export function featuresOf(parts: readonly { type: StoredPart['type'] }[]): Set<ModelFeature> {
  return new Set(parts.flatMap(({ type }) => featureOf(type) ?? []));
}

/** The parts for a model that does not have these features: what needs one of them stands there in words. */
function inWords(parts: readonly StoredPart[], missing: ReadonlySet<ModelFeature>): StoredPart[] {
  return parts.map((part): StoredPart => {
    const feature = featureOf(part.type);
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

function featureOf(type: StoredPart['type']): ModelFeature | undefined {
  return type === 'compaction' ? undefined : FEATURES[type];
}

/** The blobs of a message; the same one may stand there several times. */
export function fileHashes(parts: readonly StoredPart[] | null): string[] {
  return (parts ?? []).filter(isStoredFile).map(({ hash }) => hash);
}

/** Names of images and files, one a line; null when none has one. */
export function fileNames(parts: readonly StoredPart[] | null): string | null {
  const files = (parts ?? []).filter(isStoredFile);
  return files.flatMap(({ name }) => name ?? []).join('\n') || null;
}

/** Media types and names of images and files, one a line; null when there are none. */
export function namesOfFiles(parts: readonly StoredPart[] | null): string | null {
  const files = (parts ?? []).filter(isStoredFile);
  return files.map(({ media_type, name }) => `${media_type} ${name ?? ''}`.trim()).join('\n') || null;
}

/** Names of the functions that a reply asks for, one a line; null when there are none. */
export function namesOfCalls(parts: readonly StoredPart[] | null): string | null {
  const calls = (parts ?? []).filter((part) => part.type === 'tool_call');
  return calls.map(({ name }) => name).join('\n') || null;
}

export function isStoredFile(part: StoredPart): part is StoredFile {
  return part.type === 'image' || part.type === 'file';
}

export function isBinary(part: MessagePart | CompactionPart): part is BinaryPart {
  return part.type === 'image' || part.type === 'file';
}

async function loadFile(store: BlobStore, part: StoredFile): Promise<MessagePart> {
  const { hash, bytes: _bytes, ...file } = part;
  const data = await store.get(hash);
  return data === null ? { type: 'text', text: absent(part, 'is no longer there') } : { ...file, data };
}

/** What a model is told in the place of a file. */
function absent({ type, name }: StoredFile, why: string): string {
  return `[The ${type} ${name === null ? '' : `${name} `}${why}.]`;
}

/** What a turn says in words, without what functions returned. */
export function wordsOf({ content, parts }: { content: string; parts: TextOfParts | null }): string {
  const isOnlyWords = parts === null || parts.every(({ type }) => type !== 'tool_result');
  return isOnlyWords ? content : contentOf(parts.filter(({ type }) => type === 'text'));
}
