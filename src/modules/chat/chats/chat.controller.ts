import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { translate } from '../../../common/i18n/translator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from '../../agent/agent.api';
import {
  ActionLists,
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
} from '../../generation/generation.api';
import { HoldNotices } from '../../hold/hold.api';
import { KnowledgeNotFoundError } from '../../knowledge/knowledge.api';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../conversations/chat.errors';
import { DeletedChatDto } from '../messages/chat-acknowledgement.dto';
import { repliesThatWait, toMessageDtos } from '../messages/message.dto';
import type { Branches } from '../messages/message.service';
import { ChatDto, ChatWithMessagesDto, TrashedChatDto } from './chat.dto';
import { ChatService } from './chat.service';
import { ChatReadService } from './chat-read.service';
import { CreateChatDto } from './create-chat.dto';
import { ListChatsQueryDto } from './list-chats-query.dto';
import { ReadPlaceService } from './read-place.service';
import { MarkReadDto, ReadChatQueryDto, ReadPlaceDto, SwitchLineDto, UpdateChatDto } from './update-chat.dto';

@ApiTags('Conversations')
@Authenticated()
@Controller('chat')
export class ChatController {
  constructor(
    private readonly chats: ChatService,
    private readonly reading: ChatReadService,
    private readonly places: ReadPlaceService,
    private readonly actions: ActionLists,
    private readonly notices: HoldNotices,
  ) {}

  @Post()
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    operationId: 'chat.create',
    summary: 'Create a conversation',
    description: 'Safe to retry with an `Idempotency-Key`. Free users can create 1,000 per day, paying users 10,000.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({ type: CreateChatDto, required: false })
  @ApiCreatedResponse({ type: ChatDto })
  @ApiErrors(
    AgentNotFoundError,
    ChatNotFoundError,
    AgentInactiveError,
    MembershipRequiredError,
    IdempotencyConflictError,
    KnowledgeNotFoundError,
  )
  async create(
    @CurrentContext() context: RequestContext,
    @Body() body: CreateChatDto,
    @IdempotencyKey() key: string | null,
  ): Promise<ChatDto> {
    return this.reading.describe(await this.chats.create(context, body, key));
  }

  @Get()
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.list',
    summary: 'List your conversations',
    description: 'Returns the most recently updated first.',
  })
  @ApiOkResponse({ type: [ChatDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal, language }: RequestContext,
    @Query() query: ListChatsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChatDto[]> {
    const chats = setTotalCount(response, await this.reading.list(principal.userId, query));
    const actions = await this.actions.ofMessages(chats.flatMap(({ messages }) => repliesThatWait(messages ?? [])));
    return chats.map(({ chat, messages }) =>
      messages === null ? chat : { ...chat, messages: toMessageDtos(messages, language, actions) },
    );
  }

  @Get('trash')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.listTrash',
    summary: 'List deleted conversations',
    description: 'Returns the most recently deleted first.',
  })
  @ApiOkResponse({ type: [TrashedChatDto], headers: TOTAL_COUNT })
  async listTrash(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrashedChatDto[]> {
    return setTotalCount(response, await this.reading.listTrash(principal.userId, query));
  }

  @Get(':chat_id')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.read',
    summary: 'Retrieve a conversation',
    description: 'Includes up to 1,000 of its newest messages.',
  })
  @ApiOkResponse({ type: ChatWithMessagesDto })
  @ApiErrors(ChatNotFoundError)
  async read(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ReadChatQueryDto,
  ): Promise<ChatWithMessagesDto> {
    return this.show(context, chatId, query.branches);
  }

  @Put(':chat_id')
  @KeyScope('chat:write')
  @ApiOperation({
    operationId: 'chat.update',
    summary: 'Update a conversation',
    description: 'Changes any of `title`, `is_pinned`, `is_archived`, `tags` and `knowledge`.',
  })
  @ApiOkResponse({ type: ChatDto })
  @ApiErrors(ChatNotFoundError, KnowledgeNotFoundError)
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: UpdateChatDto,
  ): Promise<ChatDto> {
    return this.reading.describe(await this.chats.update(principal.userId, chatId, body));
  }

  @Put(':chat_id/line')
  @KeyScope('chat:write')
  @ApiOperation({
    operationId: 'chat.switchLine',
    summary: 'Switch the current line',
    description:
      'Makes the line through the given message the current one, which lists and the model use. ' +
      'After that message, the line follows the newest messages. Answers like `GET /chat/{chat_id}`.',
  })
  @ApiOkResponse({ type: ChatWithMessagesDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError, GenerationInProgressError)
  async switchLine(
    @CurrentContext() context: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: SwitchLineDto,
  ): Promise<ChatWithMessagesDto> {
    await this.chats.switchLine(context.principal.userId, chatId, body.message_id);
    return this.show(context, chatId, 'current');
  }

  @Post(':chat_id/read')
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.markRead',
    summary: 'Mark a conversation as read',
    description: 'Sends the event `chat.read` to your other devices. The position never moves back.',
  })
  @ApiOkResponse({ type: ReadPlaceDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError)
  async markRead(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: MarkReadDto,
  ): Promise<ReadPlaceDto> {
    return { chat_id: chatId, message_id: await this.places.mark(principal.userId, chatId, body.message_id) };
  }

  @Delete(':chat_id')
  @KeyScope('chat:write')
  @ApiOperation({
    operationId: 'chat.remove',
    summary: 'Delete a conversation',
    description: 'Moves the conversation to the trash, where it can be restored for a limited time.',
  })
  @ApiOkResponse({ type: DeletedChatDto })
  @ApiErrors(ChatNotFoundError)
  async remove(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
  ): Promise<DeletedChatDto> {
    await this.chats.remove(principal.userId, chatId);
    const kept = await this.notices.appliesTo(principal.userId, chatId);
    return kept
      ? { message: translate(language, 'messages.deleted_but_held'), kept: true }
      : { message: translate(language, 'messages.chat_deleted') };
  }

  @Post(':chat_id/restore')
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.restore',
    summary: 'Restore a conversation',
    description: 'Moves the conversation out of the trash, unchanged.',
  })
  @ApiOkResponse({ type: ChatDto })
  @ApiErrors(ChatNotFoundError)
  async restore(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
  ): Promise<ChatDto> {
    return this.reading.describe(await this.chats.restore(principal.userId, chatId));
  }

  private async show(
    { principal, language }: RequestContext,
    chatId: number,
    branches: Branches,
  ): Promise<ChatWithMessagesDto> {
    const { chat, messages, hasMore } = await this.reading.read(principal.userId, chatId, branches);
    const actions = await this.actions.ofMessages(repliesThatWait(messages));
    return { ...chat, messages: toMessageDtos(messages, language, actions), has_more_messages: hasMore };
  }
}
