import type { Request } from 'express';
import type { Language } from '../../../common/i18n/language';
import { type EventId, EventStreamWriter, readEventId } from './formats/event-stream-writer';
import { PlainTextWriter } from './formats/plain-text-writer';
import type { ReplyWriter } from './formats/reply-writer';
import { UiMessageWriter } from './formats/ui-message-writer';
import type { StreamFormat } from './reply-query.dto';
import { DEFAULT_UI_VERSION, type UiVersion } from './ui-version';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** The response format options of a request. */
export interface RequestedFormat {
  stream?: boolean;
  stream_format?: StreamFormat | null;
}

/** The stream format that a request selects; null: the whole reply as JSON. */
export function streamFormatOf(request: Request, ...options: RequestedFormat[]): StreamFormat | null {
  const stream = options.find((wish) => wish.stream !== undefined)?.stream;
  if (stream === false) {
    return null;
  }
  const named = options.find((wish) => wish.stream_format)?.stream_format;
  return named ?? (prefersEventStream(request, stream) ? 'sse' : stream ? 'text' : null);
}

/** The last event that a reader of server-sent events received before its connection closed. */
export function lastEventOf({ headers }: Request): EventId | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? readEventId(id) : undefined;
}

/** Additional properties of a reader of the UI message stream. */
export interface UiReader {
  uiVersion: UiVersion;
  /** Whether the reader already has the message and only needs its continuation. */
  isContinued: boolean;
}

export function createReplyWriter(
  format: StreamFormat,
  language: Language,
  { uiVersion, isContinued }: UiReader = { uiVersion: DEFAULT_UI_VERSION, isContinued: false },
): ReplyWriter {
  switch (format) {
    case 'sse':
      return new EventStreamWriter(language);
    case 'ui_message':
      return new UiMessageWriter(language, uiVersion, isContinued);
    case 'text':
      return new PlainTextWriter(language);
  }
}

/** A stream is never JSON, so the rank of JSON in `Accept` is ignored if the request asks for a stream. */
function prefersEventStream(request: Request, stream = false): boolean {
  const types = stream ? [PLAIN_TEXT, EVENT_STREAM] : [PLAIN_TEXT, JSON_TYPE, EVENT_STREAM];
  return request.accepts(types) === EVENT_STREAM;
}
