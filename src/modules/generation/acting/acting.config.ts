import { IsIn } from 'class-validator';
import { Switch, WholeNumber } from '../../../config/environment-rules';

/** Settings for agents that call tools. */
export class ActingConfig {
  /** Seconds until an action expires. */
  @WholeNumber(1, 31_536_000)
  ACTION_TTL = 86_400;

  /** Whether tools with effects need approval while the prompt contains untrusted content. */
  @Switch()
  TAINT_RULE = true;

  /**
   * What a start does with calls that have effects and were approved or running: `continue`, or `ask` after a restored
   * backup.
   */
  @IsIn(['continue', 'ask'])
  RECOVER: 'continue' | 'ask' = 'continue';
}
