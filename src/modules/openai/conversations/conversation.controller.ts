import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { whenGone } from '../../../common/http/when-gone';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import { REQUEST_FILE_ERRORS } from '../../knowledge/knowledge.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { OpenAiBody } from '../openai-body.decorator';
import { OPENAI_PREFIX } from '../openai-prefix';
import { ItemNotFoundError } from '../responses/response.errors';
import { ConversationDto, DeletedConversationDto } from './conversation.dto';
import { ConversationNotFoundError } from './conversation.errors';
import { ConversationService } from './conversation.service';
import { CONVERSATION_ID, NEW_CONVERSATION, UPDATE } from './conversation-documentation';
import {
  conversationUpdate,
  type ConversationUpdateBody,
  newConversation,
  type NewConversationBody,
} from './conversation-schemas';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/conversations`)
export class ConversationController {
  constructor(private readonly conversations: ConversationService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @OpenAiBody()
  @ApiOperation({
    operationId: 'openai.createConversation',
    summary: 'Create a conversation',
    description:
      'Creates a conversation of the user with the default agent of the user. A response in it may name ' +
      'another model.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiNewConversation', newConversation, NEW_CONVERSATION)
  @ApiOkResponse({ type: ConversationDto })
  @OpenAiErrors(
    'conversations',
    ...bodyFaults('metadata'),
    ...REQUEST_FILE_ERRORS,
    ItemNotFoundError,
    AgentInactiveError,
    MembershipRequiredError,
    IdempotencyConflictError,
    ContentBlockedError,
    GuardUnavailableError,
    StorageQuotaExceededError,
    ...LARGE_BODY_ERRORS,
  )
  create(
    @CurrentContext() context: RequestContext,
    @SchemaBody(newConversation) body: NewConversationBody,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
  ): Promise<ConversationDto> {
    return this.conversations.create(context, body, key, whenGone(request));
  }

  @Get(':conversation_id')
  @ApiOperation({
    operationId: 'openai.readConversation',
    summary: 'Retrieve a conversation',
    description: 'Items have their own routes.',
  })
  @ApiParam(CONVERSATION_ID)
  @ApiOkResponse({ type: ConversationDto })
  @OpenAiErrors('conversations/{conversation_id}', ConversationNotFoundError)
  read(
    @CurrentContext() { principal }: RequestContext,
    @Param('conversation_id') id: string,
  ): Promise<ConversationDto> {
    return this.conversations.read(principal.userId, id);
  }

  @Post(':conversation_id')
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'openai.updateConversation',
    summary: 'Update a conversation',
    description: 'Replaces the whole `metadata`.',
  })
  @ApiParam(CONVERSATION_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiConversationUpdate', conversationUpdate, UPDATE)
  @ApiOkResponse({ type: ConversationDto })
  @OpenAiErrors(
    'conversations/{conversation_id}',
    ...bodyFaults('metadata'),
    ConversationNotFoundError,
    IdempotencyConflictError,
    StorageQuotaExceededError,
  )
  update(
    @CurrentContext() context: RequestContext,
    @Param('conversation_id') id: string,
    @SchemaBody(conversationUpdate) body: ConversationUpdateBody,
    @IdempotencyKey() key: string | null,
  ): Promise<ConversationDto> {
    return this.conversations.update(context, id, body, key);
  }

  @Delete(':conversation_id')
  @ApiOperation({
    operationId: 'openai.removeConversation',
    summary: 'Delete a conversation',
    description: 'Moves the conversation to the trash with its responses.',
  })
  @ApiParam(CONVERSATION_ID)
  @ApiOkResponse({ type: DeletedConversationDto })
  @OpenAiErrors('conversations/{conversation_id}', ConversationNotFoundError)
  remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('conversation_id') id: string,
  ): Promise<DeletedConversationDto> {
    return this.conversations.delete(principal.userId, id);
  }
}
