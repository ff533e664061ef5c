import { IsIn } from 'class-validator';
import { Rule, WholeNumber } from '../../config/environment-rules';

/** When budgets reset, and how to handle unknown costs. */
export class BudgetConfig {
  /** IANA name of the time zone for the days, weeks and months of budgets. It must be the same on all instances. */
  @Rule(
    ({ TIME_ZONE }: BudgetConfig) => isTimeZone(TIME_ZONE),
    'TIME_ZONE must be the name of a time zone, such as Europe/Berlin',
  )
  TIME_ZONE = 'UTC';

  /** Assumed maximum of output tokens if neither the agent nor the request limits them. */
  @WholeNumber(1, 10_000_000)
  BUDGET_ASSUMED_OUTPUT = 4_096;

  /**
   * Whether models without a price may answer under a hard budget. Their cost is unknown, so nothing is held for them.
   */
  @IsIn(['refuse', 'allow'], { message: '$property must be refuse or allow' })
  UNPRICED_MODELS: 'refuse' | 'allow' = 'refuse';
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
