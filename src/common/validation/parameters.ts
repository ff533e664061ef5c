import { Transform } from 'class-transformer';

/**
 * Parses a query parameter that must be a whole number. Other text stays unchanged, and the validator rejects it.
 * JavaScript's own conversion would accept `1e3`, ` 7 ` and `0x10`.
 */
export const WholeNumberParameter = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value,
  );

/**
 * Parses a query parameter that must be `true` or `false`, in any case (Python writes `True`). It also accepts `1` and
 * `0`.
 */
export const SwitchParameter = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    const text = typeof value === 'string' ? value.toLowerCase() : value;
    if (text === 'true' || text === '1') {
      return true;
    }
    return text === 'false' || text === '0' ? false : value;
  });
