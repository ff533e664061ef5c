import { texts } from '../../app/i18n/languages';

const shell = texts('shell');

export interface Choice {
  value: string;
  label: string;
}

/** The names of choices in the language of the page. */
export function choicesOf<Value extends string>(values: readonly Value[], label: (value: Value) => string): Choice[] {
  return values.map((value) => ({ value, label: label(value) }));
}

/** The choices of a filter for a field that is true or false. */
export function yesOrNo(): Choice[] {
  return choicesOf(['true', 'false'], (value) => shell(value === 'true' ? 'yes' : 'no'));
}
