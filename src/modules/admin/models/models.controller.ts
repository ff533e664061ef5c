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

@ApiTags('Agents and models')
@AdminOnly()
@Enveloped()
@Controller('admin/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.models.list',
    summary: 'List model provider states',
    description: 'Returns all model providers in one list: whether they are configured, and their current state.',
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
    summary: 'Test a model',
    description:
      'Sends one request to the model, with a timeout of 60 seconds. Only its cost is stored, and no quota is ' +
      'used. If the request fails, `details` contains the host, the status, the `reason` and, except for API ' +
      'keys, the message of the provider.',
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
