import { IsIn } from 'class-validator';
import { Rule, WholeNumber } from '../../config/environment-rules';

/** When budgets begin anew, and what is held where nothing else is known. */
export class BudgetConfig {
  /** IANA name of the time zone whose days, weeks and months budgets follow; the same on all instances. */
  @Rule(
    ({ TIME_ZONE }: BudgetConfig) => isTimeZone(TIME_ZONE),
    'TIME_ZONE must be the name of a time zone, such as Europe/Berlin',
  )
  TIME_ZONE = 'UTC';

  /** Tokens that a reply may have at most where neither agent nor request limit it. */
  @WholeNumber(1, 10_000_000)
  BUDGET_ASSUMED_OUTPUT = 4_096;

  /** Whether models without a price answer under a hard budget: their cost is unknown, so nothing is held for them. */
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
