import { Controller, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { BodyLimit } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { ClaudePolicies } from './claude-policies';
import { ClaudeSettingsDto } from './claude-settings.dto';
import { type ClaudeSettingsBody, claudeSettingsRequest } from './claude-settings.schema';

const LARGEST = 65_536;

const EXAMPLES = {
  'For a group and for all': {
    value: {
      policies: [
        { groups: [3], settings: { permissions: { deny: ['WebFetch'] } } },
        { settings: { cleanupPeriodDays: 7 } },
      ],
    },
  },
};

@ApiTags('Settings')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/claude_settings')
export class ClaudeSettingsController {
  constructor(private readonly policies: ClaudePolicies) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.claudeSettings.read',
    summary: 'Retrieve the managed settings of Claude Code',
    description: 'Returns the settings that Claude Code gets from this service. API keys cannot call this route.',
  })
  @EnvelopedResponse(ClaudeSettingsDto)
  read(): Promise<ClaudeSettingsDto> {
    return this.policies.read();
  }

  @Put()
  @BodyLimit(LARGEST)
  @Enveloped('messages.settings_updated')
  @ApiOperation({
    operationId: 'admin.claudeSettings.update',
    summary: 'Update the managed settings of Claude Code',
    description:
      'Replaces all policies. Settings that run commands on the computers of users, such as `hooks` and `env`, need ' +
      '`confirm_commands: true`. API keys cannot call this route.',
  })
  @ApiSchemaBody('UpdateClaudeSettings', claudeSettingsRequest, EXAMPLES)
  @EnvelopedResponse(ClaudeSettingsDto)
  update(
    @SchemaBody(claudeSettingsRequest, ValidationFailedError) body: ClaudeSettingsBody,
  ): Promise<ClaudeSettingsDto> {
    return this.policies.replace(body);
  }
}
