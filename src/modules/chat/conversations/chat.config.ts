import { Matches, ValidateIf } from 'class-validator';
import { MaxLength } from '../../../common/validation/fields';
import { WholeNumber } from '../../../config/environment-rules';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';

/** How long deleted conversations are kept, and who makes titles. */
export class ChatConfig {
  /** Days for which a deleted conversation can be restored. After that it is erased. */
  @WholeNumber(0, 3_650)
  TRASH_DAYS = 30;

  /** The model that makes titles, of the configured provider. Without it a title is the first words of the user's message. */
  @ValidateIf((config: ChatConfig) => config.TITLE_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  TITLE_MODEL: string | null = null;
}
