import { Matches, ValidateIf } from 'class-validator';
import { MaxLength } from '../../common/validation/fields';
import { WholeNumber } from '../../config/environment-rules';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';

/** Limits of concurrent replies per user, and the model that summarizes long conversations. */
export class GenerationConfig {
  /** Concurrent replies of a user without a plan. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_NORMAL = 2;

  /** Concurrent replies of a paying user. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_PAID = 4;

  /** Concurrent replies of an administrator. */
  @WholeNumber(1, 1_000_000)
  CONCURRENT_ADMIN = 10;

  /** The model that summarizes conversations, at the configured provider. Null: the agent's own model. */
  @ValidateIf((config: GenerationConfig) => config.COMPACTION_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @Matches(/^\S+$/, { message: '$property must be the name of a model' })
  COMPACTION_MODEL: string | null = null;
}
