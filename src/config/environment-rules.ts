import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min, ValidateBy, type ValidationOptions } from 'class-validator';

/** A whole number in decimal digits, between `minimum` and `maximum` inclusive. */
export function WholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): PropertyDecorator {
  const message = `$property must be a whole number from ${minimum} to ${maximum}`;
  return applyDecorators(NumberFrom(/^\d+$/), IsInt({ message }), Min(minimum, { message }), Max(maximum, { message }));
}

/**
 * Reads text of this form as a number. Other text stays unchanged, and the rules refuse it. `Number` alone would accept
 * `0x10` and `1e3`.
 */
export function NumberFrom(form: RegExp): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => {
    const text = typeof value === 'string' ? value.trim() : '';
    return form.test(text) ? Number(text) : value;
  });
}

/** A switch: `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`. */
export function Switch(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => toBoolean(value)),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

/** A list separated by commas, without empty parts and without blanks around the parts. */
export function CommaSeparated(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : value,
  );
}

/** A rule for settings that depend on one another. It receives the whole object and has its own message. */
export function Rule<Configuration extends object>(
  holds: (configuration: Configuration) => boolean,
  message: string,
  options: ValidationOptions = {},
): PropertyDecorator {
  return ValidateBy(
    {
      name: `rule:${message}`,
      validator: {
        validate: (_value, validationArguments) => holds(validationArguments?.object as Configuration),
        defaultMessage: () => message,
      },
    },
    options,
  );
}

function toBoolean(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  const text = value.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(text)) {
    return true;
  }
  return ['false', '0', 'no', 'off'].includes(text) ? false : value;
}
