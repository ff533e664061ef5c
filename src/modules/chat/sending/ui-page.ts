import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isObject } from 'class-validator';
import type { Request } from 'express';

/** The parts of a body of the AI SDK's `DefaultChatTransport` that matter here. */
export interface UiChatBody {
  id?: unknown;
  messages?: unknown;
  messageId?: unknown;
  chat_id?: unknown;
  message_id?: unknown;
  content?: unknown;
  stream_format?: unknown;
}

/** The end of what a page of the AI SDK shows: it knows ids of ours for replies and history, and made up the others. */
export interface UiPage {
  /** Whether the request names a message, be it by an id that the page made up. */
  namesMessage: boolean;
  /** The last message with an id of ours; null: there is none. */
  knownId: number | null;
  /** Texts of the user's messages from there on; the last one is what the request is about. */
  texts: string[];
}

/** What the page shows that sent the request; null when it came from no page of the AI SDK. */
export const FromUiPage = createParamDecorator((_data: unknown, context: ExecutionContext): UiPage | null => {
  const body: unknown = context.switchToHttp().getRequest<Request>().body;
  return isUiChatBody(body) ? toUiPage(body.messages, body.messageId) : null;
});

export function isUiChatBody(body: unknown): body is UiChatBody & { messages: unknown[] } {
  return isObject<UiChatBody>(body) && Array.isArray(body.messages);
}

/** An id of ours, which the AI SDK keeps as text. Anything else is undefined, such as an id that the SDK made up. */
export function idOf(id: unknown): number | undefined {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** The text of the last message of the user; undefined when there is none. */
export function lastUserText(messages: unknown[]): string | undefined {
  const last = messages.findLast(isUserMessage);
  return last === undefined ? undefined : textOf(last);
}

export function toUiPage(messages: unknown[], messageId: unknown): UiPage {
  const end = messages.findLastIndex(isUserMessage);
  const known = messages.findLastIndex((message, index) => index <= end && idOf(memberOf(message, 'id')) !== undefined);
  return {
    namesMessage: typeof messageId === 'string',
    knownId: idOf(memberOf(messages[known], 'id')) ?? null,
    texts: messages
      .slice(known + 1, end + 1)
      .filter(isUserMessage)
      .map(textOf),
  };
}

function isUserMessage(message: unknown): boolean {
  return memberOf(message, 'role') === 'user';
}

function textOf(message: unknown): string {
  const parts = memberOf(message, 'parts');
  return Array.isArray(parts)
    ? parts
        .map((part) => memberOf(part, 'text'))
        .filter(isText)
        .join('')
    : '';
}

function isText(text: unknown): text is string {
  return typeof text === 'string';
}

function memberOf(value: unknown, name: string): unknown {
  return isObject<Record<string, unknown>>(value) ? value[name] : undefined;
}
