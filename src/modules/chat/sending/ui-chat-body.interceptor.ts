import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { isObject } from 'class-validator';
import type { Request } from 'express';
import type { Observable } from 'rxjs';

/** The parts of a body of the AI SDK's `DefaultChatTransport` that matter here. */
interface UiChatBody {
  id?: unknown;
  messages?: unknown;
  messageId?: unknown;
  chat_id?: unknown;
  message_id?: unknown;
  content?: unknown;
}

/**
 * Reads the body that the AI SDK's `useChat` sends by itself as a message: its `id` names the conversation, the text of
 * its last user message is the content, its `messageId` is the message to be answered anew. Fields of ours that are there
 * count first.
 */
@Injectable()
export class UiChatBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const body: unknown = request.body;
    if (isObject<UiChatBody>(body) && Array.isArray(body.messages)) {
      request.body = {
        ...body,
        chat_id: body.chat_id ?? idOf(body.id),
        message_id: body.message_id ?? idOf(body.messageId),
        content: body.content ?? contentOf(body),
      };
    }
    return next.handle();
  }
}

/** An id of ours, which the AI SDK keeps as text. Anything else is undefined, such as an id that the SDK made up. */
function idOf(id: unknown): number | undefined {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** The text of the last message in a body of `useChat`, when it is the user's. Anything else is undefined. */
function contentOf({ messages }: UiChatBody): string | undefined {
  const last: unknown = Array.isArray(messages) ? messages.findLast(isUserMessage) : undefined;
  const parts: unknown = isObject<{ parts: unknown }>(last) ? last.parts : undefined;
  return Array.isArray(parts) ? parts.map(textOf).join('') : undefined;
}

function isUserMessage(message: unknown): boolean {
  return isObject<{ role: unknown }>(message) && message.role === 'user';
}

function textOf(part: unknown): string {
  return isObject<{ text: unknown }>(part) && typeof part.text === 'string' ? part.text : '';
}
