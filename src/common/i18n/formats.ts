const MINUTE = 60;
const HOUR = 3_600;

/** By language and kind. To make one takes a hundred times as long as to use it, and a refusal in a flood has one too. */
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** A number with the separators of the language: `1,000` in English, `1.000` in German. */
export function formatNumber(value: number, language: string): string {
  return kept(`number ${language}`, () => new Intl.NumberFormat(language)).format(value);
}

/** Seconds in words, in a unit that people use: `45 seconds`, `10 minutes`, `24 hours`; rounded up. */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(1, Math.ceil(seconds));
  for (const [unit, size] of [
    ['hour', HOUR],
    ['minute', MINUTE],
  ] as const) {
    if (whole % size === 0 || whole > 2 * size) {
      return formatUnit(Math.ceil(whole / size), unit, language);
    }
  }
  return formatUnit(whole, 'second', language);
}

/** A day in words, UTC. `value` is a Date, milliseconds, or an ISO 8601 text. */
export function formatDate(value: Date | number | string, language: string): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return kept(`date ${language}`, () => new Intl.DateTimeFormat(language, options)).format(new Date(value));
}

/** A day and a time to the minute, UTC. `value` is a Date, milliseconds, or an ISO 8601 text. */
export function formatMoment(value: Date | number | string, language: string): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return kept(`moment ${language}`, () => new Intl.DateTimeFormat(language, options)).format(new Date(value));
}

function formatUnit(value: number, unit: 'hour' | 'minute' | 'second', language: string): string {
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return kept(`${unit} ${language}`, () => new Intl.NumberFormat(language, options)).format(value);
}

/** @param key names the kind of the format, so that each is of one type */
function kept<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Format): Format {
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format as Format;
}
