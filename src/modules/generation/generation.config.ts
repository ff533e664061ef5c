import { Matches, ValidateIf } from 'class-validator';
import { MaxLength } from '../../common/validation/fields';
import { WholeNumber } from '../../config/environment-rules';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';

/** How many replies a user may have running at once, and who sums up conversations that become too long. */
export class GenerationConfig {
  /** Replies at once for a user without a plan. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_NORMAL = 2;

  /** Replies at once for a paying user. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_PAID = 4;

  /** Replies at once for an administrator. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_ADMIN = 10;

  /** The model that sums up conversations, of the configured provider. Without it the agent's own. */
  @ValidateIf((config: GenerationConfig) => config.COMPACTION_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  COMPACTION_MODEL: string | null = null;
}
