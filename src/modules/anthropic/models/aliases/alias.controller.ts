import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../../common/security/key-scope.decorator';
import { SettingVersionConflictError } from '../../settings/setting.errors';
import { AnthropicModelsDto, UpdateAnthropicModelsDto } from './alias.dto';
import { ModelAliases } from './model-aliases';

@ApiTags('Agents and models')
@AdminOnly()
@Enveloped()
@Controller('admin/anthropic_models')
export class ModelAliasController {
  constructor(private readonly aliases: ModelAliases) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.anthropicModels.read',
    summary: 'Retrieve the model names of the Anthropic API',
    description: 'Returns the names under which clients of the Anthropic-compatible API use agents and models.',
  })
  @EnvelopedResponse(AnthropicModelsDto)
  read(): Promise<AnthropicModelsDto> {
    return this.aliases.read();
  }

  @Put()
  @NoKeys()
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.settings_updated')
  @ApiOperation({
    operationId: 'admin.anthropicModels.update',
    summary: 'Update the model names of the Anthropic API',
    description:
      'Replaces the whole list, whose agents and providers cannot be deleted. An exact name comes before an agent, and ' +
      'an agent before a name with `*`. API keys cannot call this route.',
  })
  @EnvelopedResponse(AnthropicModelsDto)
  @ApiErrors(SettingVersionConflictError)
  update(@Body() body: UpdateAnthropicModelsDto): Promise<AnthropicModelsDto> {
    return this.aliases.replace(body);
  }
}
