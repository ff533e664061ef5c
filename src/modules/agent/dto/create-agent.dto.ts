import { IsBoolean } from 'class-validator';
import { LanguageField, OptionalField } from '../../../common/validation/fields';
import { AgentNameField } from './agent-name.field';
import { AgentSettingsDto } from './agent-settings.dto';

/** A new agent; it is active unless the body says otherwise. */
export class CreateAgentDto extends AgentSettingsDto {
  @AgentNameField()
  name: string;

  /** Short for `status`: true is `active`, false `disabled`; `status` wins. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  @LanguageField()
  lang?: string | null;
}
