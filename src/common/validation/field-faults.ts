import { getMetadataStorage, type MetadataStorage, type ValidationError } from 'class-validator';
import { type FieldFault } from '../errors/validation.errors';
import { isTranslated } from '../i18n/translator';
import { allowedValues } from './allowed-values';
import { faultyObjects } from './object-list';

type ValidationMetadata = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];

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
  isInstance: 'wrong_type',
  nestedValidation: 'wrong_type',
  isDefined: 'required',
  isNotEmpty: 'required',
  isNotEmptyObject: 'required',
  minLength: 'too_short',
  maxLength: 'too_long',
  min: 'too_small',
  max: 'too_large',
  matches: 'invalid_format',
  isEmail: 'invalid_email',
  isUrl: 'invalid_url',
  isIso8601: 'invalid_date',
  isRFC3339: 'invalid_date',
  isDateString: 'invalid_date',
  isDate: 'invalid_date',
  isIn: 'not_allowed',
  isEnum: 'not_allowed',
  isNotIn: 'not_allowed',
  equals: 'not_allowed',
  notEquals: 'not_allowed',
  isEmpty: 'not_allowed',
  isPositive: 'not_allowed',
  isNegative: 'not_allowed',
  isDivisibleBy: 'not_allowed',
  minDate: 'not_allowed',
  maxDate: 'not_allowed',
  arrayContains: 'not_allowed',
  arrayNotContains: 'not_allowed',
  whitelistValidation: 'not_allowed',
  arrayUnique: 'duplicate',
  arrayMaxSize: 'too_many_items',
  arrayMinSize: 'too_few_items',
  arrayNotEmpty: 'too_few_items',
};

/** The validator's other rules. They are about the format of a text. */
const FORMATS = new Set(
  (
    'isLatLong isLatitude isLongitude contains notContains isAlpha isAlphanumeric isDecimal isAscii ' +
    'isBase64 isCreditCard isCurrency isFqdn isFullWidth isHalfWidth isVariableWidth isHexColor ' +
    'isHexadecimal isMacAddress isIp isPort isIsbn isIsin isJson isJwt isLowercase isMobilePhone ' +
    'isISO31661Alpha2 isISO31661Alpha3 isISO31661Numeric isMongoId isMultibyte isSurrogatePair isUuid ' +
    'IsFirebasePushId isUppercase isPhoneNumber isMilitaryTime isHash isISSN isBooleanString ' +
    'isNumberString isBase32 isBIC isBtcAddress isDataURI isEAN isEthereumAddress isHSL isIBAN ' +
    'isIdentityCard isISRC isLocale isMagnetURI isMimeType isOctal isPassportNumber isPostalCode ' +
    'isRgbColor isSemVer isStrongPassword isTimeZone isBase58 isTaxId isISO4217CurrencyCode isISO6391'
  ).split(' '),
);

/** Rules with a lower and an upper bound, and how they measure a text. */
const LENGTHS: Record<string, (text: string) => number> = {
  isLength: ({ length }) => length,
  isByteLength: (text) => Buffer.byteLength(text),
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
    const byNeed = [...rules.filter((rule) => REASONS[rule] === 'required'), ...rules];
    return { field, reason: 'required', message: byNeed.map((rule) => ownMessage(error, rule)).find(Boolean) };
  }
  // A wrong type also breaks the other rules. Only the type is then reported.
  const rule = rules.find((name) => REASONS[name] === 'wrong_type') ?? rules[rules.length - 1] ?? '';
  const constraints = (metadataOf(error, rule)?.constraints ?? []) as unknown[];
  const reason = reasonOf(error.value, rule, constraints);
  return { field, reason, values: ruleValues(reason, rule, constraints), message: ownMessage(error, rule) };
}

function reasonOf(value: unknown, rule: string, [minimum]: unknown[]): string {
  const lengthOf = LENGTHS[rule];
  if (lengthOf === undefined) {
    return REASONS[rule] ?? (FORMATS.has(rule) ? 'invalid_format' : rule);
  }
  if (typeof value !== 'string') {
    return 'wrong_type';
  }
  return lengthOf(value) < (minimum as number) ? 'too_short' : 'too_long';
}

function ruleValues(reason: string, rule: string, constraints: unknown[]): Record<string, string | number> {
  if (reason === 'not_allowed') {
    return allowedValues(rule === 'isIn' || rule === 'isEnum' ? constraints.at(-1) : undefined);
  }
  if (rule === 'arrayNotEmpty') {
    return { minimum: 1 };
  }
  // A rule has one bound, or a lower and an upper one. The message of its reason uses one of these two names for it.
  const [minimum, maximum = minimum] = constraints;
  return typeof minimum === 'number' && typeof maximum === 'number' ? { minimum, maximum } : {};
}

/** The message that the DTO declares for the rule, or that a custom rule has. Undefined: that of the reason is used. */
function ownMessage(error: ValidationError, rule: string): string | undefined {
  const text = error.constraints?.[rule];
  const isKnown = rule in REASONS || rule in LENGTHS || FORMATS.has(rule);
  const isCustom = !isKnown && !isTranslated(`validation.${rule}`);
  const isOwn = metadataOf(error, rule)?.message !== undefined || (isCustom && text !== rule);
  return isOwn && text !== '' ? text : undefined;
}

/** How the DTO declares the rule. */
function metadataOf({ target, property }: ValidationError, rule: string): ValidationMetadata | undefined {
  if (!target) {
    return undefined;
  }
  const storage = getMetadataStorage();
  return storage
    .getTargetValidationMetadatas(target.constructor, '', false, false)
    .find(
      ({ propertyName, constraintCls }) =>
        propertyName === property &&
        storage.getTargetValidatorConstraints(constraintCls).some(({ name }) => name === rule),
    );
}
