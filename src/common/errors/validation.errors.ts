import { ApiError } from './api-error';

/** One broken rule: the field's path (`items.0.name`) and a stable token such as `required` or `too_long`. */
export interface FieldFault {
  field: string;
  reason: string;
  /** Values for the localized sentence, e.g. the limit that was exceeded. */
  values?: Record<string, string | number>;
  /** The sentence that the rule itself has; absent: that of the reason. */
  message?: string;
}

const FIELD = {
  field: { type: 'string', description: 'Path of the field, or name of the parameter.', example: 'items.0.name' },
  reason: { type: 'string', description: 'The rule that the value breaks.', example: 'too_long' },
};

/** Base of the failures that name fields. */
export abstract class FieldFaultError extends ApiError {
  static readonly detailsSchema = {
    type: 'object',
    description: 'The first invalid field, and all of them.',
    required: ['field', 'reason', 'errors'],
    properties: {
      ...FIELD,
      errors: {
        type: 'array',
        description: 'Every invalid field.',
        items: { type: 'object', required: ['field', 'reason'], properties: FIELD },
      },
    },
  };

  constructor(readonly faults: [FieldFault, ...FieldFault[]]) {
    super({
      field: faults[0].field,
      reason: faults[0].reason,
      errors: faults.map(({ field, reason }) => ({ field, reason })),
    });
  }

  /** The same faults, of fields of this member. */
  within(member: string): FieldFaultError {
    const [first, ...others] = this.faults;
    const named = (fault: FieldFault): FieldFault => ({ ...fault, field: `${member}.${fault.field}` });
    return new (this.constructor as new (faults: [FieldFault, ...FieldFault[]]) => FieldFaultError)([
      named(first),
      ...others.map(named),
    ]);
  }
}

/** A path or query parameter is malformed. */
export class InvalidParameterError extends FieldFaultError {
  static readonly status = 400;
  static readonly code = 'VALIDATION_ERROR';
  static readonly summary =
    'A path or query parameter is invalid. `details.errors` lists each parameter and the rule that it breaks.';

  static example(): InvalidParameterError {
    return new InvalidParameterError([{ field: 'limit', reason: 'too_large', values: { maximum: 100 } }]);
  }
}

/** The body is well-formed and a field breaks a rule. */
export class ValidationFailedError extends FieldFaultError {
  static readonly status = 422;
  static readonly code = 'VALIDATION_ERROR';
  static readonly summary =
    'A field of the body is invalid. `details.errors` lists each field and the rule that it breaks.';

  static example(): ValidationFailedError {
    return ValidationFailedError.of('email', 'required');
  }

  /** The error for a single field, for rules that only a service class can check. */
  static of(field: string, reason: string, values: Record<string, string | number> = {}): ValidationFailedError {
    return new ValidationFailedError([{ field, reason, values }]);
  }
}
