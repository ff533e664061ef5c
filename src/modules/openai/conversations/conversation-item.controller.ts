import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Req } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { whenGone } from '../../../common/http/when-gone';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { GenerationInProgressError } from '../../chat/chat.api';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import { REQUEST_FILE_ERRORS } from '../../knowledge/knowledge.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { Included, IncludeParameter, type Inclusion } from '../included.decorator';
import { OpenAiBody } from '../openai-body.decorator';
import { OPENAI_PREFIX } from '../openai-prefix';
import { ItemNotFoundError } from '../responses/response.errors';
import { ItemListResponse, ItemResponse } from '../responses/response-documentation';
import type { ResponseItem } from '../responses/wire/response-item';
import { ConversationNotFoundError, ItemNotDeletableError } from './conversation.errors';
import { ConversationService } from './conversation.service';
import { CONVERSATION_ID, ITEM_ID, NEW_ITEMS } from './conversation-documentation';
import { newItems, type NewItemsBody } from './conversation-schemas';
import type { ItemListDto } from './item-list';
import { ItemListQueryDto } from './item-list-query.dto';

const ROUTE = 'conversations/{conversation_id}/items';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@ApiParam(CONVERSATION_ID)
@Controller(`${OPENAI_PREFIX}/conversations/:conversation_id/items`)
export class ConversationItemController {
  constructor(private readonly conversations: ConversationService) {}

  @Get()
  @ApiOperation({
    operationId: 'openai.listItems',
    summary: 'List conversation items',
    description: 'Returns the items of the current line. A page ends after 4 MiB of text and images.',
  })
  @IncludeParameter()
  @ItemListResponse()
  @OpenAiErrors(ROUTE, ConversationNotFoundError, ItemNotFoundError)
  list(
    @CurrentContext() { principal }: RequestContext,
    @Param('conversation_id') id: string,
    @Query() query: ItemListQueryDto,
    @Included() included: Inclusion,
  ): Promise<ItemListDto> {
    return this.conversations.listItems(principal.userId, id, query, included);
  }

  @Post()
  @HttpCode(HttpStatus.OK)
  @OpenAiBody()
  @ApiOperation({
    operationId: 'openai.addItems',
    summary: 'Add conversation items',
    description: 'Adds items to the end of the conversation, without calling a model.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiNewItems', newItems, NEW_ITEMS)
  @IncludeParameter()
  @ItemListResponse()
  @OpenAiErrors(
    ROUTE,
    ...bodyFaults('items'),
    ...REQUEST_FILE_ERRORS,
    ConversationNotFoundError,
    ItemNotFoundError,
    GenerationInProgressError,
    IdempotencyConflictError,
    ContentBlockedError,
    GuardUnavailableError,
    StorageQuotaExceededError,
    ...LARGE_BODY_ERRORS,
  )
  add(
    @CurrentContext() context: RequestContext,
    @Param('conversation_id') id: string,
    @SchemaBody(newItems) body: NewItemsBody,
    @Included() included: Inclusion,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
  ): Promise<ItemListDto> {
    return this.conversations.addItems({ context, id, body, key }, included, whenGone(request));
  }

  @Get(':item_id')
  @ApiOperation({
    operationId: 'openai.readItem',
    summary: 'Retrieve a conversation item',
    description: 'Also returns items that are not on the current line.',
  })
  @ApiParam(ITEM_ID)
  @IncludeParameter()
  @ItemResponse()
  @OpenAiErrors(`${ROUTE}/{item_id}`, ConversationNotFoundError, ItemNotFoundError)
  read(
    @CurrentContext() { principal }: RequestContext,
    @Param('conversation_id') id: string,
    @Param('item_id') itemId: string,
    @Included() included: Inclusion,
  ): Promise<ResponseItem> {
    return this.conversations.readItem(principal.userId, id, itemId, included);
  }

  @Delete(':item_id')
  @ApiOperation({
    operationId: 'openai.removeItem',
    summary: 'Delete a conversation item',
    description: 'Always refused, because later items depend on it. Delete the whole conversation instead.',
  })
  @ApiParam(ITEM_ID)
  @ItemResponse()
  @OpenAiErrors(`${ROUTE}/{item_id}`, ConversationNotFoundError, ItemNotFoundError, ItemNotDeletableError)
  remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('conversation_id') id: string,
    @Param('item_id') itemId: string,
  ): Promise<never> {
    return this.conversations.deleteItem(principal.userId, id, itemId);
  }
}
