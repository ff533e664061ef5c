import { type GenericSchema, maxEntries, pipe, record, type RecordSchema, string, unknown } from 'valibot';
import { MOST_MEMBERS } from '../../http/body/json-scan';

/** Names that `record` silently drops. */
const DROPPED = ['__proto__', 'prototype', 'constructor'];

/**
 * An object whose member names the caller chooses. It is valibot's `record`, except that names reserved by JavaScript
 * are kept as ordinary members.
 */
export function dictionary<Key extends GenericSchema<string, string>, Value extends GenericSchema>(
  key: Key,
  value: Value,
): RecordSchema<Key, Value, undefined> {
  const schema = record(key, value);
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const input = dataset.value as Record<string, unknown>;
    const result = schema['~run'](dataset, config);
    if (!result.typed) {
      return result;
    }
    for (const name of DROPPED.filter((dropped) => Object.hasOwn(input, dropped))) {
      const member = value['~run']({ value: input[name] }, config);
      if (member.issues !== undefined) {
        const place = { type: 'object', origin: 'value', input, key: name, value: input[name] } as const;
        const [first, ...others] = member.issues.map((issue) => ({ ...issue, path: [place, ...(issue.path ?? [])] }));
        return { ...result, typed: false, issues: [first, ...others] } as ReturnType<typeof run>;
      }
      // An assignment would change the prototype.
      Object.defineProperty(result.value, name, { ...PLAIN, value: member.value });
    }
    return result;
  };
  return { ...schema, '~run': run };
}

/** Any JSON object, such as a JSON Schema, unchanged. */
export const anyObject = pipe(dictionary(string(), unknown()), maxEntries(MOST_MEMBERS));

const PLAIN = { enumerable: true, configurable: true, writable: true };
