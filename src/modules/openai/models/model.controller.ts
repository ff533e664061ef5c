import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import { OpenAiErrors } from '../errors/openai-errors.decorator';
import { LONGEST_MODEL } from '../input/item-text';
import { ModelResolver } from '../model-resolver';
import { ModelNotFoundError } from '../openai.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import { OpenAiModelDto, OpenAiModelListDto, OpenAiModelQueryDto, toOpenAiModelDto } from './model.dto';

@ApiTags('OpenAI')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/models`)
export class OpenAiModelController {
  constructor(private readonly models: ModelResolver) {}

  @Get()
  @ApiOperation({
    operationId: 'openai.listModels',
    summary: 'List the agents to use as models',
    description: 'Those that the caller may chat with.',
  })
  @ApiOkResponse({ type: OpenAiModelListDto })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() { client_version }: OpenAiModelQueryDto,
  ): Promise<OpenAiModelListDto> {
    const data = (await this.models.list(principal)).map(toOpenAiModelDto);
    return { object: 'list', data, ...(client_version !== undefined && { models: [] }) };
  }

  @Get(':model')
  @ApiOperation({
    operationId: 'openai.readModel',
    summary: 'Get an agent as a model',
    description: 'Also a model of a provider, where OPENAI_PASS_THROUGH opens those: `provider/model`.',
  })
  @ApiParam({
    name: 'model',
    description: "The agent's name, URL-encoded, or its id.",
    schema: { type: 'string', maxLength: LONGEST_MODEL },
    example: '1',
  })
  @ApiOkResponse({ type: OpenAiModelDto })
  @OpenAiErrors('models/{model}', ModelNotFoundError, AgentInactiveError, MembershipRequiredError)
  async read(@CurrentContext() { principal }: RequestContext, @Param('model') model: string): Promise<OpenAiModelDto> {
    return toOpenAiModelDto(await this.models.resolve(model, principal));
  }
}
