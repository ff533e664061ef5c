import type { ValidatorOptions } from 'class-validator';

/** How objects are checked. Unknown fields are dropped. */
export const VALIDATOR_OPTIONS: ValidatorOptions = {
  whitelist: true,
  forbidUnknownValues: false,
  // The rules find the limits by the class of the object; the validator does not look into its members for that.
  validationError: { target: true },
};
