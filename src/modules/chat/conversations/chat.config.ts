import { Matches, ValidateIf } from 'class-validator';
import { MaxLength } from '../../../common/validation/fields';
import { WholeNumber } from '../../../config/environment-rules';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';

/** Retention of deleted conversations, and generated titles. */
export class ChatConfig {
  /** Days for which a deleted conversation can be restored before it is erased. */
  @WholeNumber(0, 3_650)
  TRASH_DAYS = 30;

  /**
   * The model of the configured provider that generates titles. If it is null, a title is the first words of the user's
   * message.
   */
  @ValidateIf((config: ChatConfig) => config.TITLE_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  TITLE_MODEL: string | null = null;
}
