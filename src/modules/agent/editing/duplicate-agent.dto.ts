import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { AgentNameField } from './agent-name-field';

/** How to name a copy. */
@ObjectExample({})
export class DuplicateAgentDto extends LanguageBodyDto {
  @OptionalField()
  @AgentNameField()
  name?: string;
}
