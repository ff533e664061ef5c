import { ApiExtraModels } from '@nestjs/swagger';
import { IsInt, Min } from 'class-validator';
import { LanguageField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { AgentNameField } from './agent-name-field';
import { AgentSettingsDto } from './agent-settings.dto';

/** A new agent. It is active by default. */
@ObjectExample({
  name: 'Recipe Helper',
  description: 'Turns what is in the fridge into dinner.',
  category: 'everyday',
  system_prompt: 'You are a friendly cook. Suggest simple meals.',
})
export class CreateAgentDto extends AgentSettingsDto {
  @AgentNameField()
  name: string;

  @LanguageField()
  lang?: string | null;
}

/** Changes of an agent; absent fields stay unchanged. */
@ApiExtraModels(AgentSettingsDto)
@ObjectExample({ description: 'Answers questions and helps with everyday tasks.', tags: ['everyday'] })
export class UpdateAgentDto extends AgentSettingsDto {
  @OptionalField()
  @AgentNameField()
  name?: string;

  /** The version on which the change is based. If there is a newer one, the request fails with 409. @example 1 */
  @OptionalField()
  @IsInt()
  @Min(1)
  version?: number;

  @LanguageField()
  lang?: string | null;
}

/** The name of a copy. */
@ObjectExample({})
export class DuplicateAgentDto extends LanguageBodyDto {
  @OptionalField()
  @AgentNameField()
  name?: string;
}
