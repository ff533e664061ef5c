import { maxLength, type MaxLengthAction } from 'valibot';
import { isLonger } from '../fields';

/**
 * Text of at most `maximum` Unicode characters, as in JSON Schema: an emoji counts as one, although it has two UTF-16
 * units.
 */
export function maxCharacters(maximum: number): MaxLengthAction<string, number, undefined> {
  const rule = maxLength<string, number>(maximum);
  return {
    ...rule,
    '~run': (dataset, config) => (isLonger(dataset.value, maximum) ? rule['~run'](dataset, config) : dataset),
  };
}
