import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldFault } from '../errors/validation.errors';
import { allowedValues } from './allowed-values';
import { faultyObjects } from './object-list';

/**
 * Tokens of `details.errors[].reason` by the name of the broken rule. The service's own rules are named after their
 * token.
 */
const REASONS: Record<string, string> = {
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isNumber: 'wrong_type',
  isBoolean: 'wrong_type',
  isObject: 'wrong_type',
  isArray: 'wrong_type',
  nestedValidation: 'wrong_type',
  isDefined: 'required',
  isNotEmpty: 'required',
  minLength: 'too_short',
  maxLength: 'too_long',
  min: 'too_small',
  max: 'too_large',
  matches: 'invalid_format',
  isEmail: 'invalid_email',
  isUrl: 'invalid_url',
  isIso8601: 'invalid_date',
  isIn: 'not_allowed',
  isEnum: 'not_allowed',
  arrayMaxSize: 'too_many_items',
  arrayMinSize: 'too_few_items',
};

/** Converts the validator's tree of errors into a flat list in the order of the fields, with one fault per field. */
export function fieldFaults(errors: ValidationError[], parent = ''): FieldFault[] {
  return errors.flatMap((error) => {
    const field = parent === '' ? error.property : `${parent}.${error.property}`;
    const faulty = faultyObjects(error);
    const own =
      error.constraints && faulty.length === 0 ? [fieldFault(error, field, Object.keys(error.constraints))] : [];
    return [...own, ...fieldFaults([...(error.children ?? []), ...faulty], field)];
  });
}

function fieldFault(error: ValidationError, field: string, rules: string[]): FieldFault {
  if (error.value === undefined || error.value === null) {
    return { field, reason: 'required' };
  }
  // A wrong type also breaks the other rules. Only the type is then reported.
  const rule = rules.find((name) => REASONS[name] === 'wrong_type') ?? rules[rules.length - 1] ?? '';
  return { field, reason: REASONS[rule] ?? rule, values: ruleValues(error, rule) };
}

function ruleValues(error: ValidationError, rule: string): Record<string, string | number> {
  if (!error.target) {
    return {};
  }
  const metadata = getMetadataStorage()
    .getTargetValidationMetadatas(error.target.constructor, '', false, false)
    .find(({ propertyName, name }) => propertyName === error.property && name === rule);
  const constraints = (metadata?.constraints ?? []) as unknown[];
  if (REASONS[rule] === 'not_allowed') {
    return allowedValues(constraints.at(-1));
  }
  // A rule has one bound. The message of its reason uses one of these two names for it.
  const [bound] = constraints;
  return typeof bound === 'number' ? { minimum: bound, maximum: bound } : {};
}
