import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
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
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { BodyLimit, LARGE_BODY, RewriteBody, TakesFiles } from '../../../common/http/body/body-rules.decorator';
import { whenGone } from '../../../common/http/when-gone';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import {
  ActionLists,
  DECISION_FAILURES,
  FILE_ERRORS,
  type HttpExchange,
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from '../../generation/generation.api';
import { FileWithoutTextError, UploadedFileNotFoundError } from '../../knowledge/knowledge.api';
import { QuotaExceededError, StorageQuotaExceededError } from '../../usage/usage.api';
import { ActionsService } from '../acting/actions.service';
import { ChatReadService } from '../chats/chat-read.service';
import {
  ChatNotFoundError,
  FileNotFoundError,
  GenerationInProgressError,
  MessageNotFoundError,
} from '../conversations/chat.errors';
import { ListMessagesQueryDto } from '../messages/list-messages-query.dto';
import { MessageDto, repliesThatWait, toMessageDto, toMessageDtos } from '../messages/message.dto';
import { MessageService } from '../messages/message.service';
import { MessageFeedbackDto } from '../messages/message-feedback.dto';
import { replyIdsWithActions, toUiMessageDtos, UiMessageDto } from '../reading/formats/ui-message.dto';
import { ReplyQueryDto, type StreamFormat } from '../reading/reply-query.dto';
import { ReplyResponder } from '../reading/reply-responder';
import { ReplyResponse } from '../reading/reply-response.decorator';
import { streamFormatOf } from '../reading/stream-format';
import { ExchangeService } from './exchange.service';
import type { ExchangeRequest, ShownMessages } from './exchange-request';
import { EditMessageDto, ReplyOptionsDto, SendMessageDto, SENT_EXAMPLES } from './message-body.dto';
import { toEditRequest, toRegenerateRequest, toSendRequest } from './message-requests';
import { fromUiChatBody, FromUiPage } from './ui-page';

/** Errors of sending, editing and regenerating. */
const REPLY_ERRORS = [
  ChatNotFoundError,
  AgentInactiveError,
  MembershipRequiredError,
  GenerationInProgressError,
  ContextTooLongError,
  QuotaExceededError,
  BudgetExceededError,
  ContentBlockedError,
  GuardUnavailableError,
  TooManyConcurrentError,
  ...REPLY_FAILURES,
];

/** Errors of images and files in a message. */
const SENT_FILE_ERRORS = [
  FileNotFoundError,
  new UploadedFileNotFoundError('parts[1].file_id'),
  ...FILE_ERRORS,
  new FileWithoutTextError('parts[1].file_id', 'no_text', 'scan.pdf'),
  StorageQuotaExceededError,
  ...LARGE_BODY_ERRORS,
];

@ApiTags('Messages')
@Authenticated()
@Controller('chat')
export class MessageController {
  constructor(
    private readonly reading: ChatReadService,
    private readonly messages: MessageService,
    private readonly exchanges: ExchangeService,
    private readonly responder: ReplyResponder,
    private readonly actions: ActionsService,
    private readonly lists: ActionLists,
  ) {}

  @Post('message')
  @KeyScope('chat:write')
  @BodyLimit(LARGE_BODY)
  @TakesFiles(true)
  @HttpCode(HttpStatus.OK)
  @RewriteBody(fromUiChatBody)
  @ApiOperation({
    operationId: 'chat.send',
    summary: 'Send a message',
    description:
      'Returns both messages as an array, or streams the reply; a plain-text stream ends with the line ' +
      '`__TOKEN_USAGE__` and one line of JSON. If that line is missing, the connection was lost: join the ' +
      'reply with `GET /chat/{chat_id}/stream`. The reply is written and stored even if the client ' +
      'disconnects.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({
    type: SendMessageDto,
    description: 'At most 1 MiB, or 28 MiB if files are included as data.',
    examples: SENT_EXAMPLES,
  })
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, ...SENT_FILE_ERRORS, ...DECISION_FAILURES, MessageNotFoundError, IdempotencyConflictError)
  async send(
    @CurrentContext() context: RequestContext,
    @Body() body: SendMessageDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @FromUiPage() page: ShownMessages | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = streamFormatOf(request, query, body);
    if (body.approvals !== undefined) {
      const { principal } = context;
      await this.actions.decideOnPage({ request, response }, format, principal, body.chat_id, body.approvals, key);
      return;
    }
    const arrival = { context, key, format, signal: body.parts && whenGone(request) };
    await this.answer({ request, response }, context, format, toSendRequest(arrival, body, page));
  }

  @Put(':chat_id/messages/:message_id')
  @KeyScope('chat:write')
  @BodyLimit(LARGE_BODY)
  @TakesFiles(true)
  @ApiOperation({
    operationId: 'chat.edit',
    summary: 'Edit a message',
    description:
      'Creates another version of the message with the same `parent_id`, and answers like `POST /chat/message`. ' +
      'The old version and everything after it leave the current line. `branches=all` still returns them, and ' +
      '`PUT /chat/{chat_id}/line` makes them current again.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, ...SENT_FILE_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  async edit(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: EditMessageDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = streamFormatOf(request, query, body);
    const arrival = { context, key, format, signal: body.parts && whenGone(request) };
    await this.answer({ request, response }, context, format, toEditRequest(arrival, chatId, messageId, body));
  }

  @Post(':chat_id/messages/:message_id/regenerate')
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.regenerate',
    summary: 'Regenerate a reply',
    description:
      'The earlier reply and everything after it leave the current line; `branches=all` still returns them. ' +
      '`PUT /chat/{chat_id}/line` makes them current again, as does a new reply that ends without text. ' +
      'Settings that a program sent for the earlier reply apply again.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({ type: ReplyOptionsDto, required: false })
  @ReplyResponse()
  @ApiErrors(...REPLY_ERRORS, MessageNotFoundError, IdempotencyConflictError)
  async regenerate(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: ReplyOptionsDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = streamFormatOf(request, query, body);
    const arrival = { context, key, format };
    await this.answer({ request, response }, context, format, toRegenerateRequest(arrival, chatId, messageId, body));
  }

  @Get(':chat_id/messages')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.listMessages',
    summary: 'List messages',
    description:
      'Returns the oldest first. A page ends after 4 MiB of text, whatever its limit; an empty page ends the ' +
      'list.',
  })
  @ApiExtraModels(MessageDto, UiMessageDto)
  @ApiOkResponse({
    headers: TOTAL_COUNT,
    schema: {
      type: 'array',
      items: { anyOf: [{ $ref: getSchemaPath(MessageDto) }, { $ref: getSchemaPath(UiMessageDto) }] },
    },
  })
  @ApiErrors(ChatNotFoundError)
  async list(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ListMessagesQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto[] | UiMessageDto[]> {
    const chat = await this.reading.get(context.principal.userId, chatId);
    const messages = setTotalCount(response, await this.messages.list(chat, query));
    if (query.format === 'ui_message') {
      const actions = await this.lists.ofMessages(replyIdsWithActions(messages));
      return toUiMessageDtos(messages, context.language, actions, query.ui_version);
    }
    return toMessageDtos(messages, context.language, await this.lists.ofMessages(repliesThatWait(messages)));
  }

  @Put(':chat_id/messages/:message_id/feedback')
  @KeyScope('chat:write')
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'chat.rate',
    summary: 'Rate a reply',
    description: '`rating: null` removes the rating.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError, StorageQuotaExceededError)
  async rate(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Body() body: MessageFeedbackDto,
  ): Promise<MessageDto> {
    const chat = await this.reading.get(context.principal.userId, chatId);
    const message = await this.messages.rate(context.principal, chat, messageId, body);
    return toMessageDto(message, context.language, await this.lists.ofMessages(repliesThatWait([message])));
  }

  private answer(
    exchange: HttpExchange,
    { principal }: RequestContext,
    format: StreamFormat | null,
    request: ExchangeRequest,
  ): Promise<void> {
    return this.responder.answer(exchange, format, principal, this.exchanges.start(request));
  }
}
