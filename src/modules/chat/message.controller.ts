import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { setTotalCount, TOTAL_COUNT } from '../../common/envelope/total-count';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../common/http/body-rules.decorator';
import { Authenticated } from '../../common/security/access.decorator';
import { CurrentUser } from '../../common/security/current-user.decorator';
import type { Principal, Requester } from '../../common/security/principal';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { IdPipe } from '../../common/validation/id.pipe';
import { ContextTooLongError } from '../../integrations/llm/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../agent/agent.api';
import { QuotaExceededError } from '../usage/usage.api';
import {
  ChatNotFoundError,
  GenerationInProgressError,
  IdempotencyConflictError,
  MessageNotFoundError,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from './chat.errors';
import { ChatReadService } from './chat-read.service';
import { toMessageDtos } from './dto/chat.dto';
import { EditMessageDto } from './dto/edit-message.dto';
import { ListMessagesQueryDto } from './dto/list-messages-query.dto';
import { MessageDto, toMessageDto } from './dto/message.dto';
import { MessageFeedbackDto } from './dto/message-feedback.dto';
import { ReplyOptionsDto } from './dto/reply-options.dto';
import { ReplyQueryDto, type StreamFormat } from './dto/reply-query.dto';
import { SendMessageDto } from './dto/send-message.dto';
import { toUiMessageDtos, UiMessageDto } from './dto/ui-message.dto';
import { MessageService } from './message.service';
import type { ReplyAnswer } from './reply/reading/reply-answer';
import { type HttpExchange, ReplyResponder } from './reply/reading/reply-responder';
import { ReplyResponse } from './reply/reading/reply-response.decorator';
import { streamFormatOf } from './reply/reading/stream-format';
import { IDEMPOTENCY_KEY, IdempotencyKey } from './sending/idempotency-key.decorator';
import { SendService } from './sending/send.service';
import { UiChatBodyInterceptor } from './sending/ui-chat-body.interceptor';
import { FromUiPage, type UiPage } from './sending/ui-page';

/** Failures of a reply, whichever way it came about. */
const REPLY_ERRORS = [
  ChatNotFoundError,
  AgentInactiveError,
  MembershipRequiredError,
  GenerationInProgressError,
  ContextTooLongError,
  QuotaExceededError,
  TooManyConcurrentError,
  ...REPLY_FAILURES,
];

@ApiTags('Messages')
@Authenticated()
@Controller('chat')
export class MessageController {
  constructor(
    private readonly reading: ChatReadService,
    private readonly messages: MessageService,
    private readonly sending: SendService,
    private readonly responder: ReplyResponder,
  ) {}

  @Post('message')
  @BodyLimit(LARGE_BODY)
  @HttpCode(200)
  @UseInterceptors(UiChatBodyInterceptor)
  @ApiOperation({
    summary: 'Send a message and get the reply',
    description:
      'Whole: the array of both messages. Streamed as plain text: the text, then a line `__TOKEN_USAGE__` with one line ' +
      'of JSON behind it; no such line at the end means that the connection was lost: join the reply again with ' +
      'GET /chat/{chat_id}/stream. The reply is written and stored whether its client stays or not.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  send(
    @CurrentUser() user: Principal,
    @Body() body: SendMessageDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @FromUiPage() page: UiPage | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer({ request, response }, streamFormatOf(request, query, body), user, (requester, endsUnread) =>
      this.sending.send(requester, body, { key, page, endsUnread }),
    );
  }

  @Put(':chat_id/messages/:message_id')
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    summary: 'Give one of your messages another wording, and get the reply',
    description:
      'Answers like POST /chat/message. The new wording stands beside the old one, with the same `parent_id`; the old one ' +
      'and what followed it leave the current line, stay readable with `branches=all`, and come back with ' +
      'PUT /chat/{chat_id}/line.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  edit(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: EditMessageDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer({ request, response }, streamFormatOf(request, query, body), user, (requester, endsUnread) =>
      this.sending.edit(requester, chatId, messageId, body, { key, page: null, endsUnread }),
    );
  }

  @Post(':chat_id/messages/:message_id/regenerate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get another reply to the same message',
    description:
      'The new reply stands beside the earlier one, which leaves the current line with what followed it, stays readable ' +
      'with `branches=all`, and comes back with PUT /chat/{chat_id}/line, or if the new one ends without a word.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({ type: ReplyOptionsDto, required: false })
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  regenerate(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: ReplyOptionsDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer({ request, response }, streamFormatOf(request, query, body), user, (requester, endsUnread) =>
      this.sending.regenerate(requester, chatId, messageId, body, { key, page: null, endsUnread }),
    );
  }

  @Get(':chat_id/messages')
  @ApiOperation({ summary: 'Page through the messages of a conversation', description: 'Oldest first.' })
  @ApiExtraModels(MessageDto, UiMessageDto)
  @ApiOkResponse({
    headers: TOTAL_COUNT,
    schema: {
      type: 'array',
      items: { anyOf: [{ $ref: getSchemaPath(MessageDto) }, { $ref: getSchemaPath(UiMessageDto) }] },
    },
  })
  @ApiErrors(ChatNotFoundError)
  list(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ListMessagesQueryDto,
    @CurrentContext() caller: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto[] | UiMessageDto[]> {
    const toDtos = query.format === 'ui_message' ? toUiMessageDtos : toMessageDtos;
    return this.reading
      .get(user.userId, chatId)
      .then((chat) => this.messages.list(chat, query))
      .then((part) => toDtos(setTotalCount(response, part), caller.language));
  }

  @Put(':chat_id/messages/:message_id/feedback')
  @BodyLimit(LARGE_BODY)
  @ApiOperation({ summary: 'Rate a reply', description: '`rating: null` takes the rating back.' })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError)
  rate(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: MessageFeedbackDto,
    @CurrentContext() caller: RequestContext,
  ): Promise<MessageDto> {
    return this.reading
      .get(user.userId, chatId)
      .then((chat) => this.messages.rate(chat, messageId, body))
      .then((message) => toMessageDto(message, caller.language));
  }

  /** A page of the AI SDK stops a reply by leaving it, and expects that the next message may follow. */
  private answer(
    exchange: HttpExchange,
    format: StreamFormat | null,
    user: Principal,
    send: (requester: Requester, endsUnread: boolean) => Promise<ReplyAnswer>,
  ): Promise<void> {
    return this.responder.answer(
      exchange,
      format,
      user,
      send({ ...user, requestId: exchange.request.id }, format === 'ui_message'),
    );
  }
}
