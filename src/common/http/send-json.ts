import type { Response } from 'express';
import { toExactJson } from './exact-json';

/** Like `response.json`, which takes twice as long. Node sends a text together with the headers, in one write. */
export function sendJson(response: Response, body: object): void {
  const text = toExactJson(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
