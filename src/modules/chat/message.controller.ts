import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BodyLimit, LARGE_BODY } from '../../common/http/body-limit.decorator';
import { setTotalCount, TOTAL_COUNT } from '../../common/envelope/total-count';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { Authenticated } from '../../common/security/access.decorators';
import { type Caller, CallerContext } from '../../common/security/caller';
import { CurrentUser } from '../../common/security/current-user.decorator';
import type { Principal } from '../../common/security/principal';
import { IdPipe } from '../../common/validation/id.pipe';
import { ContextTooLongError } from '../../integrations/llm/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../agent/agent.errors';
import { QuotaExceededError } from '../usage/usage.errors';
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
import { ListMessagesQueryDto } from './dto/list-messages-query.dto';
import { MessageFeedbackDto } from './dto/message-feedback.dto';
import { MessageDto, toMessageDto } from './dto/message.dto';
import { RegenerateDto } from './dto/regenerate.dto';
import { ReplyQueryDto } from './dto/reply-query.dto';
import { SendMessageDto } from './dto/send-message.dto';
import { MessageService } from './message.service';
import { ReplyResponse } from './reply-response.decorator';
import { IdempotencyKey } from './sending/idempotency-key.decorator';
import { RegenerateService } from './sending/regenerate.service';
import { streamFormatOf } from './sending/reply-format';
import { ReplyResponder } from './sending/reply-responder';
import { SendService } from './sending/send.service';
import { UiChatBodyInterceptor } from './sending/ui-chat-body.interceptor';

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
    private readonly regenerating: RegenerateService,
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
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: '1 to 64 visible characters; kept for 24 hours.',
  })
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  send(
    @CurrentUser() user: Principal,
    @Body() body: SendMessageDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.responder.answer(
      { request, response },
      streamFormatOf(request, query, body),
      user,
      this.sending.send(user, body, key),
    );
  }

  @Post(':chat_id/messages/:message_id/regenerate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get another reply to the same message',
    description: 'The earlier reply stays readable with `branches=all`.',
  })
  @ApiBody({ type: RegenerateDto, required: false })
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError)
  regenerate(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: RegenerateDto,
    @Query() query: ReplyQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.responder.answer(
      { request, response },
      streamFormatOf(request, query, body),
      user,
      this.regenerating.regenerate(user, chatId, messageId, body),
    );
  }

  @Get(':chat_id/messages')
  @ApiOperation({ summary: 'Page through the messages of a conversation', description: 'Oldest first.' })
  @ApiOkResponse({ type: [MessageDto], headers: TOTAL_COUNT })
  @ApiErrors(ChatNotFoundError)
  list(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ListMessagesQueryDto,
    @CallerContext() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto[]> {
    return this.reading
      .get(user.userId, chatId)
      .then((chat) => this.messages.list(chat, query))
      .then((part) => toMessageDtos(setTotalCount(response, part), caller.language));
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
    @CallerContext() caller: Caller,
  ): Promise<MessageDto> {
    return this.reading
      .get(user.userId, chatId)
      .then((chat) => this.messages.rate(chat, messageId, body))
      .then((message) => toMessageDto(message, caller.language));
  }
}
