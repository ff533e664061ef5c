import { Matches, MaxLength, ValidateIf } from 'class-validator';
import { WholeNumber } from '../../../config/environment-rules';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';

/** How long deleted conversations are kept, how many replies a user may have running at once, who makes titles, and who sums up. */
export class ChatConfig {
  /** Days for which a deleted conversation can be restored. After that it is erased. */
  @WholeNumber(0, 3_650)
  TRASH_DAYS = 30;

  /** Replies at once for a user without a plan. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_NORMAL = 2;

  /** Replies at once for a paying user. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_PAID = 4;

  /** Replies at once for an administrator. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_ADMIN = 10;

  /** The model that makes titles, of the configured provider. Without it a title is the first words of the user's message. */
  @ValidateIf((config: ChatConfig) => config.TITLE_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  TITLE_MODEL: string | null = null;

  /** The model that sums up conversations, of the configured provider. Without it the agent's own. */
  @ValidateIf((config: ChatConfig) => config.COMPACTION_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  COMPACTION_MODEL: string | null = null;
}
