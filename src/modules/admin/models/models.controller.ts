import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import type { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import {
  ContentRefusedError,
  ModelNotPricedError,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../integrations/llm/port/llm.errors';
import { ModelProviderDto, ModelTestDto, ModelTestResultDto } from './models.dto';
import { ModelsService } from './models.service';

@ApiTags('Admin: settings')
@AdminOnly()
@Enveloped()
@Controller('admin/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.models.list',
    summary: 'Model providers',
    description: 'All of them on one page, whether they are set up, and their state.',
  })
  @EnvelopedPageResponse(ModelProviderDto)
  describe(): Page<ModelProviderDto> {
    return this.models.describe();
  }

  @Post('test')
  @KeyScope('admin:write')
  @BodyLimit(LARGE_BODY)
  @HttpCode(HttpStatus.OK)
  @Audited('model.test', 'model', ['provider', 'model', 'content'])
  @ApiOperation({
    operationId: 'admin.models.test',
    summary: 'Try a model',
    description:
      'Asks it once, for at most 60 seconds. Nothing is stored but its cost, and nobody’s quota is used. After a failure `details` ' +
      'has the provider’s host and status, the kind of the failure (`reason`) and, unless an API key asks, its words.',
  })
  @ApiBody({ type: ModelTestDto, required: false })
  @EnvelopedResponse(ModelTestResultDto)
  @ApiErrors(
    BudgetExceededError,
    ModelNotPricedError,
    ContentRefusedError,
    ProviderError,
    ProviderUnavailableError,
    ProviderTimeoutError,
  )
  test(@CurrentContext() context: RequestContext, @Body() body: ModelTestDto): Promise<ModelTestResultDto> {
    return this.models.test(body, context);
  }
}
