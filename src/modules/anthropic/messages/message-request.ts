import type { Request } from 'express';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { RequestContext } from '../../../common/security/request-context';
import type { HttpExchange } from '../../generation/generation.api';

/** The fields of a body that the service itself reads. The provider validates the rest. */
export interface MessageBody {
  model: string;
  messages: unknown[];
  /** Absent only in `count_tokens`. */
  max_tokens?: number;
  stream?: unknown;
  [name: string]: unknown;
}

/** A request to `/v1/messages` or `/v1/messages/count_tokens`. */
export interface MessageRequest {
  context: RequestContext;
  exchange: HttpExchange;
  /** The body, which must not be changed. */
  body: MessageBody;
  /** The bytes of the body as received. */
  bytes: Buffer;
  /** The header `anthropic-version`, such as `2023-06-01`. */
  version: string;
  /** The header `Idempotency-Key`. Null: absent. */
  key: string | null;
}

/** The version of clients that name none. */
const OLDEST_VERSION = '2023-06-01';

const MOST_MESSAGES = 10_000;

const LONGEST_MODEL = 256;

/** The header `anthropic-version`. @throws InvalidParameterError if it is not a date */
export function versionOf({ headers }: Pick<Request, 'headers'>): string {
  const version = headers['anthropic-version'] ?? OLDEST_VERSION;
  if (typeof version !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(version) || Number.isNaN(Date.parse(version))) {
    throw new InvalidParameterError([{ field: 'anthropic-version', reason: 'invalid_format' }]);
  }
  return version;
}

/** @param needsLimit whether `max_tokens` is required @throws InvalidParameterError */
export function checkBody(body: unknown, needsLimit: boolean): MessageBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw fault('body', 'wrong_type');
  }
  const { model, messages, max_tokens: limit } = body as Record<string, unknown>;
  if (typeof model !== 'string' || model === '') {
    throw fault('model', model === undefined ? 'required' : 'wrong_type');
  }
  if (model.length > LONGEST_MODEL) {
    throw fault('model', 'too_long', LONGEST_MODEL);
  }
  if (!Array.isArray(messages)) {
    throw fault('messages', messages === undefined ? 'required' : 'wrong_type');
  }
  if (messages.length > MOST_MESSAGES) {
    throw fault('messages', 'too_many_items', MOST_MESSAGES);
  }
  if (limit === undefined ? needsLimit : !Number.isInteger(limit) || Number(limit) < 0) {
    throw fault('max_tokens', limit === undefined ? 'required' : 'wrong_type');
  }
  return body as MessageBody;
}

function fault(field: string, reason: string, maximum?: number): InvalidParameterError {
  return new InvalidParameterError([{ field, reason, ...(maximum !== undefined && { values: { maximum } }) }]);
}
