import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { translate } from '../../../common/i18n/translator';
import { Authenticated } from '../../../common/security/access.decorator';
import { CurrentUser } from '../../../common/security/current-user.decorator';
import type { Principal } from '../../../common/security/principal';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from '../../agent/agent.api';
import {
  ChatNotFoundError,
  GenerationInProgressError,
  IdempotencyConflictError,
  MessageNotFoundError,
} from '../chat.errors';
import { IDEMPOTENCY_KEY, IdempotencyKey } from '../idempotency/idempotency-key.decorator';
import { ChatAcknowledgementDto } from '../messages/chat-acknowledgement.dto';
import { ChatDto, ChatWithMessagesDto, TrashedChatDto } from './chat.dto';
import { ChatService } from './chat.service';
import { ChatReadService } from './chat-read.service';
import { CreateChatDto } from './create-chat.dto';
import { ListChatsQueryDto } from './list-chats-query.dto';
import { ReadChatQueryDto } from './read-chat-query.dto';
import { SwitchLineDto } from './switch-line.dto';
import { UpdateChatDto } from './update-chat.dto';

@ApiTags('Conversations')
@Authenticated()
@Controller('chat')
export class ChatController {
  constructor(
    private readonly chats: ChatService,
    private readonly reading: ChatReadService,
  ) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ summary: 'Start a conversation', description: 'With an `Idempotency-Key`, repeating it is safe.' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({ type: CreateChatDto, required: false })
  @ApiCreatedResponse({ type: ChatDto })
  @ApiErrors(
    AgentNotFoundError,
    ChatNotFoundError,
    AgentInactiveError,
    MembershipRequiredError,
    IdempotencyConflictError,
  )
  create(
    @CurrentUser() user: Principal,
    @Body() body: CreateChatDto,
    @IdempotencyKey() key: string | null,
    @CurrentContext() caller: RequestContext,
  ): Promise<ChatDto> {
    return this.chats.create(user, body, key, caller.language).then((chat) => this.reading.describe(chat));
  }

  @Get()
  @ApiOperation({ summary: 'List your conversations', description: 'The one with the newest message or edit first.' })
  @ApiOkResponse({ type: [ChatDto], headers: TOTAL_COUNT })
  list(
    @CurrentUser() user: Principal,
    @Query() query: ListChatsQueryDto,
    @CurrentContext() caller: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChatDto[]> {
    return this.reading.list(user.userId, query, caller.language).then((part) => setTotalCount(response, part));
  }

  @Get('trash')
  @ApiOperation({ summary: 'List your deleted conversations', description: 'The newest deleted first.' })
  @ApiOkResponse({ type: [TrashedChatDto], headers: TOTAL_COUNT })
  listTrash(
    @CurrentUser() user: Principal,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrashedChatDto[]> {
    return this.reading.listTrash(user.userId, query).then((part) => setTotalCount(response, part));
  }

  @Get(':chat_id')
  @ApiOperation({ summary: 'Read a conversation', description: 'With up to 1,000 of its newest messages.' })
  @ApiOkResponse({ type: ChatWithMessagesDto })
  @ApiErrors(ChatNotFoundError)
  read(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ReadChatQueryDto,
    @CurrentContext() caller: RequestContext,
  ): Promise<ChatWithMessagesDto> {
    return this.reading.read(user.userId, chatId, query.branches, caller.language);
  }

  @Put(':chat_id')
  @ApiOperation({ summary: 'Change a conversation', description: 'Any of title, is_pinned, is_archived and tags.' })
  @ApiOkResponse({ type: ChatDto })
  @ApiErrors(ChatNotFoundError)
  update(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: UpdateChatDto,
  ): Promise<ChatDto> {
    return this.chats.update(user.userId, chatId, body).then((chat) => this.reading.describe(chat));
  }

  @Put(':chat_id/line')
  @ApiOperation({
    summary: 'Show another line of a conversation',
    description:
      'Makes the line through a message the current one, which lists, searches and the model follow; below the message ' +
      'it goes on by what was written last. Answers the conversation with its messages, as GET /chat/{chat_id}.',
  })
  @ApiOkResponse({ type: ChatWithMessagesDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError, GenerationInProgressError)
  switchLine(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: SwitchLineDto,
    @CurrentContext() caller: RequestContext,
  ): Promise<ChatWithMessagesDto> {
    return this.chats
      .switchLine(user.userId, chatId, body.message_id)
      .then(() => this.reading.read(user.userId, chatId, 'current', caller.language));
  }

  @Delete(':chat_id')
  @ApiOperation({ summary: 'Delete a conversation', description: 'It can be restored from the trash for a while.' })
  @ApiOkResponse({ type: ChatAcknowledgementDto })
  @ApiErrors(ChatNotFoundError)
  remove(
    @CurrentUser() user: Principal,
    @Param('chat_id', IdPipe) chatId: number,
    @CurrentContext() caller: RequestContext,
  ): Promise<ChatAcknowledgementDto> {
    return this.chats
      .remove(user.userId, chatId)
      .then(() => ({ message: translate(caller.language, 'messages.chat_deleted') }));
  }

  @Post(':chat_id/restore')
  @HttpCode(200)
  @ApiOperation({ summary: 'Take a conversation out of the trash', description: 'It is as it was before.' })
  @ApiOkResponse({ type: ChatDto })
  @ApiErrors(ChatNotFoundError)
  restore(@CurrentUser() user: Principal, @Param('chat_id', IdPipe) chatId: number): Promise<ChatDto> {
    return this.chats.restore(user.userId, chatId).then((chat) => this.reading.describe(chat));
  }
}
