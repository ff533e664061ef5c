import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import { EmbeddingService } from '../embeddings/embedding.service';
import { OpenAiErrors } from '../errors/openai-errors.decorator';
import { LONGEST_MODEL } from '../input/item-text';
import { ModelResolver } from '../model-resolver';
import { ModelNotFoundError } from '../openai.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import { OpenAiModelDto, OpenAiModelListDto, OpenAiModelQueryDto, toOpenAiModelDto } from './model.dto';

@ApiTags('OpenAI API')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/models`)
export class OpenAiModelController {
  constructor(
    private readonly models: ModelResolver,
    private readonly embeddings: EmbeddingService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'openai.listModels',
    summary: 'List models',
    description: 'Returns the agents that you can use as models.',
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
    summary: 'Retrieve a model',
    description:
      'Returns an agent, the embedding model, or a model of a provider (`provider/model`) if `OPENAI_PASS_THROUGH` allows it.',
  })
  @ApiParam({
    name: 'model',
    description: 'Name of the agent (URL-encoded), or its id.',
    schema: { type: 'string', maxLength: LONGEST_MODEL },
    example: '1',
  })
  @ApiOkResponse({ type: OpenAiModelDto })
  @OpenAiErrors('models/{model}', ModelNotFoundError, AgentInactiveError, MembershipRequiredError)
  async read(@CurrentContext() { principal }: RequestContext, @Param('model') model: string): Promise<OpenAiModelDto> {
    if (await this.embeddings.isConfigured(model)) {
      return { id: model, object: 'model', created: 0, owned_by: 'chat-service' };
    }
    return toOpenAiModelDto(await this.models.resolve(model, principal));
  }
}
