import { createHash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const LENGTH = 24;

/** A new id of a message: `msg_` and 24 characters. */
export function newMessageId(): string {
  return `msg_${Array.from({ length: LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('')}`;
}

/** The id of a call. Clients only accept some characters, which ids of other providers may go beyond. */
export function toolUseId(id: string): string {
  return /^[A-Za-z0-9_-]+$/.test(id) ? id : `toolu_${createHash('sha256').update(id).digest('hex').slice(0, LENGTH)}`;
}
