import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ServiceOverloadedError } from '../../../common/errors/common.errors';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { ContextTooLongError, FeatureNotSupportedError } from '../../../integrations/llm/port/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import {
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from '../../generation/generation.api';
import { REQUEST_FILE_ERRORS } from '../../knowledge/knowledge.api';
import { QuotaExceededError } from '../../usage/usage.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ModelNotFoundError, UnsupportedParameterError } from '../openai.errors';
import { OpenAiBody } from '../openai-body.decorator';
import { COMPLETIONS, OPENAI_PREFIX } from '../openai-prefix';
import { CompletionService } from './completion.service';
import { CompletionBody, CompletionResponse } from './completion-documentation';
import { completionRequest, type CompletionRequestBody } from './request/completion-request.schema';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/${COMPLETIONS}`)
export class CompletionController {
  constructor(private readonly completions: CompletionService) {}

  @Post()
  @OpenAiBody()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.createCompletion',
    summary: 'Create a chat completion',
    description:
      'The messages are the whole context, and nothing is added to your conversations. The system prompt and ' +
      'the settings of the agent take precedence; unsupported parameters are ignored. The completion ends if ' +
      'the client disconnects.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @CompletionBody()
  @CompletionResponse()
  @OpenAiErrors(
    COMPLETIONS,
    ...bodyFaults('messages[0].content'),
    UnsupportedParameterError,
    ContextTooLongError,
    FeatureNotSupportedError,
    ...REQUEST_FILE_ERRORS,
    ModelNotFoundError,
    AgentInactiveError,
    MembershipRequiredError,
    IdempotencyConflictError,
    QuotaExceededError,
    BudgetExceededError,
    ContentBlockedError,
    GuardUnavailableError,
    TooManyConcurrentError,
    ServiceOverloadedError,
    ...REPLY_FAILURES,
  )
  complete(
    @CurrentContext() context: RequestContext,
    @SchemaBody(completionRequest) body: CompletionRequestBody,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.completions.answer(context, body, key, { request, response });
  }
}
