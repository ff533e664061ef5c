import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import type { ItemListDto } from '../conversations/item-list';
import { ItemListQueryDto } from '../conversations/item-list-query.dto';
import { OpenAiErrors } from '../errors/openai-errors.decorator';
import { Included, IncludeParameter, type Inclusion } from '../included.decorator';
import { OpenAiBody } from '../openai-body.decorator';
import { OPENAI_PREFIX } from '../openai-prefix';
import { type ResponseRequest, responseRequest } from './request/response-request-schema';
import { DeletedResponseDto } from './response.dto';
import { NotInBackgroundError, ResponseNotFoundError } from './response.errors';
import { ResponseService } from './response.service';
import { ResponseCreation } from './response-creation';
import {
  CREATION_ERRORS,
  EXAMPLES,
  ItemListResponse,
  RESPONSE_ID,
  ResponseResponse,
  StreamedResponse,
} from './response-documentation';
import { ResponseQueryDto } from './response-query.dto';
import type { ResponseResource } from './wire/response-resource';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/responses`)
export class ResponseController {
  constructor(
    private readonly creation: ResponseCreation,
    private readonly responses: ResponseService,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @OpenAiBody()
  @ApiOperation({
    operationId: 'openai.createResponse',
    summary: 'Create a response',
    description:
      'Follows Open Responses 2026-04-24; stored in a conversation of the user unless `store` is false, and ' +
      '`conversation` or `previous_response_id` continues one. Tools of the agent run here as `mcp_call`; ' +
      '`mcp_approval_response` decides on those that need approval (scope `actions:decide`), and the rest ' +
      'becomes a separate response. `X-Ignored-Tools` names the tool types that were ignored, and ' +
      '`X-Withheld-Tools` the tools withheld because of `store: false`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiResponseRequest', responseRequest, EXAMPLES)
  @StreamedResponse()
  @OpenAiErrors('responses', ...CREATION_ERRORS)
  create(
    @CurrentContext() context: RequestContext,
    @SchemaBody(responseRequest) request: ResponseRequest,
    @IdempotencyKey() key: string | null,
    @Req() httpRequest: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.creation.answer({ context, request, key }, { request: httpRequest, response });
  }

  @Get(':response_id')
  @ApiOperation({
    operationId: 'openai.readResponse',
    summary: 'Retrieve a response',
    description: 'Returns the response or joins its events. A running response is returned as far as it is known.',
  })
  @ApiParam(RESPONSE_ID)
  @IncludeParameter()
  @StreamedResponse()
  @OpenAiErrors('responses/{response_id}', ResponseNotFoundError)
  read(
    @CurrentContext() context: RequestContext,
    @Param('response_id') id: string,
    @Query() query: ResponseQueryDto,
    @Included() included: Inclusion,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.responses.answer(context, id, { ...query, included }, { request, response });
  }

  @Get(':response_id/input_items')
  @ApiOperation({
    operationId: 'openai.listInputItems',
    summary: 'List input items',
    description: 'Returns the items of the request, without the earlier items of the conversation.',
  })
  @ApiParam(RESPONSE_ID)
  @IncludeParameter()
  @ItemListResponse()
  @OpenAiErrors('responses/{response_id}', ResponseNotFoundError)
  inputItems(
    @CurrentContext() { principal }: RequestContext,
    @Param('response_id') id: string,
    @Query() query: ItemListQueryDto,
    @Included() included: Inclusion,
  ): Promise<ItemListDto> {
    return this.responses.inputItems(principal.userId, id, query, included);
  }

  @Post(':response_id/cancel')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.cancelResponse',
    summary: 'Cancel a response',
    description: 'Stops a response that runs in the background. A response that has ended is returned unchanged.',
  })
  @ApiParam(RESPONSE_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ResponseResponse()
  @OpenAiErrors('responses/{response_id}', ResponseNotFoundError, NotInBackgroundError, IdempotencyConflictError)
  cancel(
    @CurrentContext() context: RequestContext,
    @Param('response_id') id: string,
    @IdempotencyKey() key: string | null,
    @Req() { body }: Request,
  ): Promise<ResponseResource> {
    return this.responses.cancel(context, id, { key, body: body as unknown });
  }

  @Delete(':response_id')
  @ApiOperation({
    operationId: 'openai.removeResponse',
    summary: 'Delete a response',
    description:
      'The messages stay in the conversation. If a conversation without a name of its own has only deleted ' +
      'responses, it moves to the trash.',
  })
  @ApiParam(RESPONSE_ID)
  @ApiOkResponse({ type: DeletedResponseDto })
  @OpenAiErrors('responses/{response_id}', ResponseNotFoundError)
  remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('response_id') id: string,
  ): Promise<DeletedResponseDto> {
    return this.responses.delete(principal.userId, id);
  }
}
