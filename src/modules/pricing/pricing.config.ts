import { Matches } from 'class-validator';
import { Switch } from '../../config/environment-rules';

/** The currency of prices and costs, and the visibility of costs. */
export class PricingConfig {
  /** ISO 4217 code of the currency of all prices and costs. */
  @Matches(/^[A-Z]{3}$/, { message: '$property must be the code of a currency, such as USD' })
  COST_CURRENCY = 'USD';

  /** Whether replies include their cost. */
  @Switch()
  COST_IN_RESPONSES = true;
}
