import { createHash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const LENGTH = 24;

/** A new id of a message: `msg_` and 24 characters. */
export function newMessageId(): string {
  return `msg_${Array.from({ length: LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('')}`;
}

/** The ids of the calls in the messages of a request. */
export function callIdsIn(messages: readonly unknown[]): ReadonlySet<string> {
  const blocks = messages.flatMap((message) => {
    const { content } = (message ?? {}) as { content?: unknown };
    return Array.isArray(content) ? (content as unknown[]) : [];
  });
  const ids = blocks.map((block) => {
    const { type, id } = (block ?? {}) as { type?: unknown; id?: unknown };
    return type === 'tool_use' ? id : null;
  });
  return new Set(ids.filter((id) => typeof id === 'string'));
}

/**
 * The id of a call in a message. Clients only accept some characters, which ids of other providers may go beyond, and
 * ignore a call whose id an earlier one has, because some providers number the calls of each reply from 1.
 *
 * @param taken ids of earlier calls of the conversation
 */
export function toolUseId(id: string, { id: messageId, taken }: { id: string; taken: ReadonlySet<string> }): string {
  if (taken.has(id)) {
    return hashed(`${messageId} ${id}`);
  }
  return /^[A-Za-z0-9_-]+$/.test(id) ? id : hashed(id);
}

function hashed(text: string): string {
  return `toolu_${createHash('sha256').update(text).digest('hex').slice(0, LENGTH)}`;
}
