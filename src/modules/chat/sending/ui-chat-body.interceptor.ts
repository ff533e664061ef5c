import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { idOf, isUiChatBody, lastUserText } from './ui-page';

/**
 * Reads the body that the AI SDK's `useChat` sends by itself as a message: its `id` names the conversation, the text of
 * its last user message is the content, its `messageId` is the message that its trigger means. Fields of ours that are
 * there count first.
 */
@Injectable()
export class UiChatBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const body: unknown = request.body;
    if (isUiChatBody(body)) {
      request.body = {
        ...body,
        chat_id: body.chat_id ?? idOf(body.id),
        message_id: body.message_id ?? idOf(body.messageId),
        content: body.content ?? lastUserText(body.messages),
      };
    }
    return next.handle();
  }
}
