import { randomBytes } from 'node:crypto';
import { hashOf } from './turns';

const HEAD = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000', 'hex');

/** A unique image. */
export const png = (bytes = 60): Buffer => Buffer.concat([HEAD, randomBytes(bytes - HEAD.length)]);

export const dataUrl = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;

/** The request part that sends it. */
export const imageOf = (bytes: Buffer): { type: string; url: string } => ({ type: 'image', url: dataUrl(bytes) });

/** The message part that shows it. */
export const shownImage = (bytes: Buffer): object => ({
  type: 'image',
  media_type: 'image/png',
  name: null,
  detail: null,
  hash: hashOf(bytes),
  bytes: bytes.length,
});
