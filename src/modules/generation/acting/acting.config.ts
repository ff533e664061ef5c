import { IsIn } from 'class-validator';
import { Switch, WholeNumber } from '../../../config/environment-rules';

/** Agents that call tools. */
export class ActingConfig {
  /** Seconds until a question about a call expires. */
  @WholeNumber(1, 31_536_000)
  ACTION_TTL = 86_400;

  /** Whether tools with effects ask while what a model is told holds text from outside. */
  @Switch()
  TAINT_RULE = true;

  /** What a start does with calls that have effects and were approved or running: `continue`, or `ask` after a restored backup. */
  @IsIn(['continue', 'ask'])
  RECOVER: 'continue' | 'ask' = 'continue';
}
