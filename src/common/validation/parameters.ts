import { Transform } from 'class-transformer';

/**
 * Reads a query parameter that must be a whole number. Other text stays as it is, for the validator to refuse;
 * JavaScript's own conversion would take `1e3`, ` 7 ` and `0x10`.
 */
export const WholeNumberParameter = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value,
  );

/** Reads a query parameter that must be `true` or `false`; `1` and `0` count too. */
export const SwitchParameter = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (value === 'true' || value === '1') {
      return true;
    }
    return value === 'false' || value === '0' ? false : value;
  });
