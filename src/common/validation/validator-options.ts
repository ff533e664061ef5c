import type { ValidatorOptions } from 'class-validator';

/** How objects are validated. Unknown fields are dropped. */
export const VALIDATOR_OPTIONS: ValidatorOptions = {
  whitelist: true,
  forbidUnknownValues: false,
  // The rules find the limits by the class of the object, so the validator need not read its members.
  validationError: { target: true },
};
