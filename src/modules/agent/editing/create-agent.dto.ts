import { LanguageField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { AgentNameField } from './agent-name-field';
import { AgentSettingsDto } from './agent-settings.dto';

/** A new agent; it is active unless the body says otherwise. */
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
