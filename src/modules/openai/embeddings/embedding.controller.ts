import { applyDecorators, Controller, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BodyLimit, MostValues } from '../../../common/http/body/body-rules.decorator';
import { sendJson } from '../../../common/http/send-json';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import {
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
  TooManyConcurrentError,
} from '../../generation/generation.api';
import { EmbeddingsUnavailableError } from '../../knowledge/knowledge.api';
import { QuotaExceededError, StorageQuotaExceededError } from '../../usage/usage.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ModelNotFoundError } from '../openai.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import { EmbeddingListDto } from './embedding.dto';
import { EmbeddingService } from './embedding.service';
import { type EmbeddingBody, embeddingRequest } from './embedding-request.schema';

/** Texts of 8 MB in all. */
const LARGEST = 8 * 1_048_576;
/** Tokens are one value each. */
const MOST_VALUES = 500_000;

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/embeddings`)
export class EmbeddingController {
  constructor(private readonly embeddings: EmbeddingService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @applyDecorators(BodyLimit(LARGEST), MostValues(MOST_VALUES))
  @ApiOperation({
    operationId: 'openai.createEmbeddings',
    summary: 'Create embeddings',
    description:
      'Returns a vector for each input, in their order; with `OPENAI_PASS_THROUGH`, `model` may be any ' +
      '`provider/model`. The tokens count towards the quota `embedding_tokens`. With an `Idempotency-Key`, the ' +
      'vectors are kept for 24 hours and count towards the storage.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiEmbeddingRequest', embeddingRequest, {
    text: { value: { model: 'text-embedding-3-small', input: 'The sea is warm in May.' } },
  })
  @ApiOkResponse({ type: EmbeddingListDto })
  @OpenAiErrors(
    'embeddings',
    ...bodyFaults('input'),
    ModelNotFoundError,
    IdempotencyConflictError,
    StorageQuotaExceededError,
    QuotaExceededError,
    BudgetExceededError,
    TooManyConcurrentError,
    EmbeddingsUnavailableError,
  )
  async create(
    @CurrentContext() { principal }: RequestContext,
    @SchemaBody(embeddingRequest) body: EmbeddingBody,
    @IdempotencyKey() key: string | null,
    @Res() response: Response,
  ): Promise<void> {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    sendJson(response, await this.embeddings.answer(principal, body, key, ended.signal));
  }
}
