import { IsBoolean, Matches } from 'class-validator';

/** In which money prices and costs are, and who is shown costs. */
export class PricingConfig {
  /** ISO 4217 code of the currency of all prices and costs. */
  @Matches(/^[A-Z]{3}$/, { message: '$property must be the code of a currency, such as USD' })
  COST_CURRENCY = 'USD';

  /** Whether replies say what they cost. */
  @IsBoolean()
  COST_IN_RESPONSES = true;
}
