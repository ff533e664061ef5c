import { texts } from '../../app/i18n/languages';

const shell = texts('shell');

export interface Choice {
  value: string;
  label: string;
}

/** Choices with labels in the current language. */
export function choicesOf<Value extends string>(values: readonly Value[], label: (value: Value) => string): Choice[] {
  return values.map((value) => ({ value, label: label(value) }));
}

/** The filter choices of a boolean field. */
export function yesOrNo(): Choice[] {
  return choicesOf(['true', 'false'], (value) => shell(value === 'true' ? 'yes' : 'no'));
}
