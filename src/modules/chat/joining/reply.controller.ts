import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { translate } from '../../../common/i18n/translator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { TakesTicket } from '../../../common/security/ticket-identity';
import { IdPipe } from '../../../common/validation/id.pipe';
import { StreamTicketDto, TicketInvalidError } from '../../api-key/api-key.api';
import { REPLY_FAILURES } from '../../generation/generation.api';
import { ChatNotFoundError } from '../conversations/chat.errors';
import { RestOfReplyResponse } from '../reading/reply-response.decorator';
import { JoinReplyQueryDto } from './join-reply-query.dto';
import { ReplyAccessService } from './reply-access.service';
import { StoppedReplyDto } from './stopped-reply.dto';

@ApiTags('Messages')
@Authenticated()
@Controller('chat/:chat_id')
export class ReplyController {
  constructor(private readonly replies: ReplyAccessService) {}

  @Post('stop')
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.stop',
    summary: 'Stop a reply',
    description: 'Keeps the text written so far. Returns when the reply has ended, or 503 after 15 seconds.',
  })
  @ApiOkResponse({ type: StoppedReplyDto })
  @ApiErrors(ChatNotFoundError)
  async stop(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
  ): Promise<StoppedReplyDto> {
    const stopped = await this.replies.stop(principal.userId, chatId);
    if (stopped === null) {
      return { message: translate(language, 'messages.no_reply_running'), message_id: null };
    }
    const message = translate(language, stopped.isStopped ? 'messages.reply_stopped' : 'messages.reply_ended');
    return { message, message_id: stopped.messageId };
  }

  @Post('stream-ticket')
  @KeyScope('chat:read')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.createTicket',
    summary: 'Create a stream ticket',
    description:
      '`EventSource` cannot send `Authorization`; it opens `GET /chat/{chat_id}/stream?ticket=…` instead. A ' +
      'ticket works for one request within a minute, in this conversation, while the session is valid.',
  })
  @ApiOkResponse({ type: StreamTicketDto })
  @ApiErrors(ChatNotFoundError)
  async ticket(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
  ): Promise<StreamTicketDto> {
    return await this.replies.issueTicket(principal, chatId);
  }

  @Get('stream')
  @KeyScope('chat:read')
  @TakesTicket(({ params }) => ({ chat: Number(params.chat_id) }))
  @ApiOperation({
    operationId: 'chat.join',
    summary: 'Join a reply',
    description:
      'Returns the reply from `offset` in the format of the original stream, on any instance; 204 means that ' +
      'nothing is running and nothing is missing. With an `offset`, the response also shows how a failed, ' +
      'stopped or interrupted reply ended; if the offset is beyond the end, `message_start` and the event ids ' +
      'have the true one. Readers of plain text must not count the zero-width space that the stream inserts ' +
      "after `__TOKEN` in the text: `text.replace(/__TOKEN\\u200b+/g, '__TOKEN').length`.",
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description:
      'Replaces `offset`; browsers send it automatically. The id of `message_end` returns 204, which stops ' +
      'the browser.',
  })
  @RestOfReplyResponse()
  @ApiNoContentResponse({ description: 'Nothing is running, and nothing is missing.' })
  @ApiErrors(ChatNotFoundError, TicketInvalidError, ...REPLY_FAILURES)
  async join(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: JoinReplyQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.join(principal.userId, chatId, query, { request, response });
  }
}
