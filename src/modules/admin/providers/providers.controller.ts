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
  description: 'Id of the provider; `default` is the one of LLM_*, `demo` the built-in one.',
  schema: { type: 'string' as const, maxLength: 16 },
  example: 'default',
};

@ApiTags('Admin: settings')
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
      'The one of LLM_*, the demo, and those that are managed here, with the last result of each. `format=csv` gives a ' +
      'file (UTF-8 with byte order mark, CR LF) of all matching providers; its columns are the fields.',
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
      'Agents can name it at once, on every instance within five seconds. Its key is never shown again. Link-local ' +
      'addresses are refused, and hosts outside of PROVIDER_ALLOWED_HOSTS.',
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
    summary: 'Look for models on this machine',
    description:
      'Asks the ports of Ollama, LM Studio and vLLM (LOCAL_MODEL_PORTS) at 127.0.0.1 of the service for their models, for ' +
      'two seconds at most. Changes nothing: what is found can be added with `POST /admin/providers`. Not with an API key.',
  })
  @EnvelopedResponse(FoundModelsDto)
  discover(@CurrentContext() { principal }: RequestContext): Promise<FoundModelsDto> {
    return this.providers.discover(principal);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.providers.read',
    summary: 'Read a model provider',
    description: 'By its id; `default` and `demo` have none and use their names.',
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
    summary: 'Change a model provider',
    description:
      'Absent fields stay as they are, null removes a field. The key stays with its host: another host, scheme, port or ' +
      'kind needs it again. Running replies keep the old settings. If no provider is the default, the one of LLM_* is.',
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
    description: 'Refused while agents name it, drafts and fallback models included.',
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
    summary: 'Try a model provider',
    description:
      'Asks a model once, for at most 60 seconds. Nothing is stored but its cost, and nobody’s quota is used. A failure is 200 ' +
      'too: then `ok` is false, and the provider’s host and status, the kind of the failure and its words say why. An API ' +
      'key gets neither its words nor the answer’s.',
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
    summary: 'What a model provider lists',
    description:
      'Asks the provider itself, for ten seconds at most. After a failure `details` has its status, the ' +
      'kind of the failure (`reason`) and, unless an API key asks, its words. An API key gets no models of a provider whose ' +
      'address is not public.',
  })
  @ApiParam(PARAMETER)
  @EnvelopedPageResponse(ListedModelDto, 'Its models by name, all on one page.')
  @ApiErrors(ProviderNotFoundError, ProviderError, ProviderUnavailableError, ProviderTimeoutError)
  models(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', ProviderReferencePipe) reference: ProviderReference,
  ): Promise<Page<ListedModelDto>> {
    return this.providers.listModels(reference, principal);
  }
}
