import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isObject } from 'class-validator';
import type { Request } from 'express';
import type { ShownMessages } from './exchange-request';

/** The fields that are read here from a body of the AI SDK's `DefaultChatTransport`. */
export interface UiChatBody {
  id?: unknown;
  messages?: unknown;
  messageId?: unknown;
  chat_id?: unknown;
  message_id?: unknown;
  content?: unknown;
  parts?: unknown;
  stream_format?: unknown;
}

/** What the page that sent the request shows. Null: the request is not from a page of the AI SDK. */
export const FromUiPage = createParamDecorator((_data: unknown, context: ExecutionContext): ShownMessages | null => {
  const body: unknown = context.switchToHttp().getRequest<Request>().body;
  return isUiChatBody(body) ? toUiPage(body.messages, body.messageId) : null;
});

/**
 * Accepts the body that the AI SDK's `useChat` sends by default: `id` is the chat, the text of the last user message is the
 * content, its files are parts, and `messageId` is the message that the trigger means. Our own fields take precedence. Where the
 * last message is a reply with answers about calls, these are sent in the place of a message.
 */
export function fromUiChatBody(body: unknown): unknown {
  if (!isUiChatBody(body)) {
    return body;
  }
  const chat_id = body.chat_id ?? idOf(body.id);
  const approvals = approvalsIn(body.messages.at(-1));
  if (approvals.length > 0) {
    return { ...body, chat_id, approvals };
  }
  return {
    ...body,
    chat_id,
    message_id: body.message_id ?? idOf(body.messageId),
    content: body.content ?? lastUserText(body.messages),
    parts: body.parts ?? partsWithFiles(body.messages.findLast(isUserMessage)),
  };
}

export function isUiChatBody(body: unknown): body is UiChatBody & { messages: unknown[] } {
  return isObject<UiChatBody>(body) && Array.isArray(body.messages);
}

/** An id of ours, which the AI SDK keeps as text. Undefined for other ids, such as one that the SDK made up. */
export function idOf(id: unknown): number | undefined {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** The text of the last message of the user; undefined when there is none. */
export function lastUserText(messages: unknown[]): string | undefined {
  const last = messages.findLast(isUserMessage);
  return last === undefined ? undefined : textOf(last);
}

export function toUiPage(messages: unknown[], messageId: unknown): ShownMessages {
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

/** What the user has answered of what a reply asks. */
function approvalsIn(message: unknown): object[] {
  const answered = memberOf(message, 'role') === 'assistant' ? partsOf(message) : [];
  return answered
    .filter((part) => memberOf(part, 'state') === 'approval-responded')
    .map((part) => {
      const approval = memberOf(part, 'approval');
      const [reason, id] = [memberOf(approval, 'reason'), memberOf(approval, 'id')];
      return {
        id: idOf(id) ?? id,
        approved: memberOf(approval, 'approved'),
        input: memberOf(part, 'input'),
        ...(typeof reason === 'string' && reason !== '' && { reason }),
      };
    });
}

function isUserMessage(message: unknown): boolean {
  return memberOf(message, 'role') === 'user';
}

/** As it is stored. */
function textOf(message: unknown): string {
  const texts = partsOf(message).map((part) => memberOf(part, 'text'));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

/** What is sent of a message that is more than text; undefined for text alone. Other parts are for the page. */
function partsWithFiles(message: unknown): unknown[] | undefined {
  const sent = partsOf(message).filter((part) => ['text', 'file'].includes(String(memberOf(part, 'type'))));
  return sent.some((part) => memberOf(part, 'type') === 'file') ? sent : undefined;
}

function partsOf(message: unknown): unknown[] {
  const parts = memberOf(message, 'parts');
  return Array.isArray(parts) ? parts : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isObject<Record<string, unknown>>(value) ? value[name] : undefined;
}
