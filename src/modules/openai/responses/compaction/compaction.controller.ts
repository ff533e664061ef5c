import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Authenticated } from '../../../../common/security/access.decorator';
import { KeyScope } from '../../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../../common/security/request-context';
import { ApiSchemaBody } from '../../../../common/validation/schemas/documented-schemas';
import { referenceTo } from '../../../../common/validation/schemas/named-schema';
import { SchemaBody } from '../../../../common/validation/schemas/schema.pipe';
import { IDEMPOTENCY_KEY, IdempotencyKey } from '../../../generation/generation.api';
import { OpenAiErrors } from '../../errors/openai-errors.decorator';
import { OpenAiBody } from '../../openai-body.decorator';
import { OPENAI_PREFIX } from '../../openai-prefix';
import { CREATION_ERRORS, EXAMPLES } from '../response-documentation';
import { CompactionService } from './compaction.service';
import { COMPACTED_RESPONSE, type CompactionRequest, compactionRequest } from './compaction-schema';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/responses/compact`)
export class CompactionController {
  constructor(private readonly compactions: CompactionService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @OpenAiBody()
  @ApiOperation({
    operationId: 'openai.compactResponse',
    summary: 'Compact a conversation',
    description:
      'A model summarizes the input, or the conversation of `previous_response_id`. Send the `output` instead ' +
      'of them. Its tokens count, but no message does.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiCompactionRequest', compactionRequest, EXAMPLES)
  @ApiOkResponse({ schema: referenceTo(COMPACTED_RESPONSE) })
  @OpenAiErrors('responses/compact', ...CREATION_ERRORS)
  compact(
    @CurrentContext() context: RequestContext,
    @SchemaBody(compactionRequest) body: CompactionRequest,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.compactions.answer(context, body, key, { request, response });
  }
}
