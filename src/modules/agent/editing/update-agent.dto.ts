import { IsInt, Min } from 'class-validator';
import { LanguageField, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { AgentNameField } from './agent-name-field';
import { AgentSettingsDto } from './agent-settings.dto';

/** Changes of an agent; absent fields stay as they are. */
@ObjectExample({ description: 'Answers questions and helps with everyday tasks.', tags: ['everyday'] })
export class UpdateAgentDto extends AgentSettingsDto {
  @OptionalField()
  @AgentNameField()
  name?: string;

  /** The version that the change is based on; refused with 409 when there is a newer one. @example 1 */
  @OptionalField()
  @IsInt()
  @Min(1)
  version?: number;

  @LanguageField()
  lang?: string | null;
}
