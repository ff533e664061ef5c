import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Put,
  Query,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import {
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../integrations/llm/port/llm.errors';
import {
  ProviderInUseError,
  ProviderNameTakenError,
  ProviderNotFoundError,
  ProviderReadOnlyError,
} from '../../../integrations/llm/providers/provider.errors';
import { FoundModelsDto } from './local-models.dto';
import { DeletedProviderDto, ListedModelDto, ProviderDto } from './provider.dto';
import { ProviderAdministrationService } from './provider-administration.service';
import { CreateProviderDto, UpdateProviderDto } from './provider-fields.dto';
import { PROVIDER_FILE, ProviderQueryDto } from './provider-query.dto';
import { type ProviderReference, ProviderReferencePipe } from './provider-reference.pipe';
import { ProviderTestDto, ProviderTestResultDto } from './provider-test.dto';
import { ProvidersService } from './providers.service';

const PARAMETER = {
  name: 'id',
  description: 'Id of the provider; `default` is the provider from `LLM_*`, `demo` the built-in one.',
  schema: { type: 'string' as const, maxLength: 16 },
  example: 'default',
};

@ApiTags('Model providers')
@AdminOnly()
@Enveloped()
@Controller('admin/providers')
export class ProvidersController {
  constructor(
    private readonly providers: ProvidersService,
    private readonly administration: ProviderAdministrationService,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.providers.list',
    summary: 'List model providers',
    description:
      'Returns the provider from `LLM_*`, the built-in demo and the providers added through the API, each ' +
      'with its last result. `format=csv` returns all matching providers as a UTF-8 file with a byte order ' +
      'mark and CRLF line ends.',
  })
  @EnvelopedPageResponse(ProviderDto, { otherContent: PROVIDER_FILE })
  list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ProviderQueryDto,
  ): Promise<Page<ProviderDto> | StreamableFile> {
    return this.providers.find(query, principal);
  }

  @Post()
  @KeyScope('admin:write')
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.providers.create',
    summary: 'Add a model provider',
    description:
      'Agents can use the provider within five seconds, on every instance. The key is never returned. ' +
      'Link-local addresses, and hosts that `PROVIDER_ALLOWED_HOSTS` excludes, are refused.',
  })
  @EnvelopedResponse(ProviderDto, { status: HttpStatus.CREATED })
  @ApiErrors(ProviderNameTakenError)
  async create(@CurrentContext() { principal }: RequestContext, @Body() body: CreateProviderDto): Promise<ProviderDto> {
    return this.providers.describe(await this.administration.create(body), principal);
  }

  @Post('discover')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @Audited('provider.discover', 'provider')
  @ApiOperation({
    operationId: 'admin.providers.discover',
    summary: 'Discover local models',
    description:
      'Looks for Ollama, LM Studio and vLLM on the ports of `LOCAL_MODEL_PORTS` at 127.0.0.1, for up to two ' +
      'seconds. Nothing changes; add what is found with `POST /admin/providers`. API keys cannot call this ' +
      'route.',
  })
  @EnvelopedResponse(FoundModelsDto)
  discover(@CurrentContext() { principal }: RequestContext): Promise<FoundModelsDto> {
    return this.providers.discover(principal);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.providers.read',
    summary: 'Retrieve a model provider',
    description: 'The providers `default` and `demo` have no numeric id; use their names.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedResponse(ProviderDto)
  @ApiErrors(ProviderNotFoundError)
  get(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', ProviderReferencePipe) reference: ProviderReference,
  ): Promise<ProviderDto> {
    return this.providers.get(reference, principal);
  }

  @Put(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.providers.update',
    summary: 'Update a model provider',
    description:
      'Fields that you omit stay unchanged, and null clears a field. If you change the host, scheme, port or ' +
      'kind, send the key again. Running replies keep the old settings; if no provider is the default, the ' +
      'one from `LLM_*` is.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedResponse(ProviderDto)
  @ApiErrors(ProviderNotFoundError, ProviderReadOnlyError, ProviderNameTakenError, ProviderInUseError)
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', ProviderReferencePipe) reference: ProviderReference,
    @Body() body: UpdateProviderDto,
  ): Promise<ProviderDto> {
    return this.providers.describe(await this.administration.update(reference, body), principal);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.providers.remove',
    summary: 'Delete a model provider',
    description: 'Fails while an agent uses the provider, also in a draft or as a fallback.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedResponse(DeletedProviderDto)
  @ApiErrors(ProviderNotFoundError, ProviderReadOnlyError, ProviderInUseError)
  remove(@Param('id', ProviderReferencePipe) reference: ProviderReference): Promise<DeletedProviderDto> {
    return this.administration.remove(reference);
  }

  @Post(':id/test')
  @KeyScope('admin:write')
  @HttpCode(HttpStatus.OK)
  @Audited('provider.test', 'provider', ['model', 'content'])
  @ApiOperation({
    operationId: 'admin.providers.test',
    summary: 'Test a model provider',
    description:
      'Sends one request to a model, with a timeout of 60 seconds; only its cost is stored, and no quota is ' +
      'used. A failure also returns 200, with `ok: false` and the host, status, reason and message of the ' +
      'provider. API keys receive neither that message nor the reply.',
  })
  @ApiParam(PARAMETER)
  @ApiBody({ type: ProviderTestDto, required: false })
  @EnvelopedResponse(ProviderTestResultDto)
  @ApiErrors(ProviderNotFoundError, BudgetExceededError)
  test(
    @CurrentContext() context: RequestContext,
    @Param('id', ProviderReferencePipe) reference: ProviderReference,
    @Body() body: ProviderTestDto,
  ): Promise<ProviderTestResultDto> {
    return this.providers.test(reference, body, context);
  }

  @Get(':id/models')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.providers.listModels',
    summary: 'List the models of a provider',
    description:
      'Requests the list from the provider, with a timeout of ten seconds. If that fails, `details` contains ' +
      'the status, the `reason` and, except for API keys, the message of the provider. API keys receive no ' +
      'models of a provider whose address is not public.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedPageResponse(ListedModelDto, 'The models by name, on one page.')
  @ApiErrors(ProviderNotFoundError, ProviderError, ProviderUnavailableError, ProviderTimeoutError)
  models(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', ProviderReferencePipe) reference: ProviderReference,
  ): Promise<Page<ListedModelDto>> {
    return this.providers.listModels(reference, principal);
  }
}
