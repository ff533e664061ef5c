import type { Choice } from '../../form/choices';
import { instantOf, localTime } from '../../form/entries';
import { EntryError } from '../../form/faults';
import { textOf as entryText } from '../../form/text-entry';

type Schema = Record<string, unknown>;

/** A field of a form that an MCP server requests. */
export interface SchemaField {
  /** Name in the answer. */
  name: string;
  kind: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  label: string;
  hint: string | undefined;
  isRequired: boolean;
  /** Only for `choice` and `choices`. */
  choices: Choice[];
  /** Limits of a number's value, a text's length, or the number of `choices`. */
  least: number | undefined;
  most: number | undefined;
  /** Initial value. */
  initial: string | undefined;
  /** Initial values of `boolean` and `choices`. */
  initials: string[];
}

/** Input types for the formats in the MCP specification. */
const FORMATS = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const;

/** The fields of a form, in schema order. Unknown types become text fields. */
export function fieldsOf(schema: Schema): SchemaField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(objectOf(schema['properties'])).map(([name, value]) => {
    const field = objectOf(value);
    const kind = kindOf(field);
    const isMany = kind === 'choices';
    const isNumber = kind === 'number' || kind === 'integer';
    const [least, most] = isNumber
      ? ['minimum', 'maximum']
      : isMany
        ? ['minItems', 'maxItems']
        : ['minLength', 'maxLength'];
    const initial = field['default'];
    return {
      name,
      kind,
      label: textOf(field['title']) ?? name,
      hint: textOf(field['description']),
      isRequired: required.includes(name),
      choices: choicesOf(isMany ? objectOf(field['items']) : field),
      least: numberOf(field[least]),
      most: numberOf(field[most]),
      initial: kind === 'datetime-local' ? timeOf(initial) : initialOf(initial),
      initials: Array.isArray(initial) ? initial.map(String) : initial === true ? ['true'] : [],
    };
  });
}

function kindOf(field: Schema): SchemaField['kind'] {
  switch (field['type']) {
    case 'boolean':
    case 'number':
    case 'integer':
      return field['type'];
    case 'array':
      return 'choices';
    default: {
      if (choicesOf(field).length > 0) return 'choice';
      const format = Object.entries(FORMATS).find(([name]) => name === field['format']);
      return format ? format[1] : 'text';
    }
  }
}

/** Reads choices from `enum`, with `enumNames` if present, or from constants with titles. */
function choicesOf({ enum: values, enumNames: names, oneOf, anyOf }: Schema): Choice[] {
  const titled = [oneOf, anyOf].find(Array.isArray) as unknown[] | undefined;
  if (titled) {
    return titled.map(objectOf).map((choice) => {
      const value = String(choice['const']);
      return { value, label: textOf(choice['title']) ?? value };
    });
  }
  if (!Array.isArray(values)) return [];
  return values.map((value, index) => ({
    value: String(value),
    label: textOf(Array.isArray(names) ? names[index] : undefined) ?? String(value),
  }));
}

/** Name of the form input, which the service also uses in validation errors. */
export function entryOf({ name }: SchemaField): string {
  return `arguments.${name}`;
}

/**
 * Returns the answer to the form. Empty optional fields are left out.
 *
 * @param tooFew error message, as is `tooMany`
 * @throws EntryError for too few or too many choices, which browsers do not validate
 */
export function answerOf(
  fields: SchemaField[],
  entries: FormData,
  { tooFew, tooMany }: { tooFew: string; tooMany: string },
): Record<string, unknown> {
  const given: [string, unknown][] = [];
  for (const field of fields) {
    const entry = entryOf(field);
    const text = entryText(entries, entry);
    if (field.kind === 'boolean') given.push([field.name, entries.has(entry)]);
    else if (field.kind === 'choices') {
      const chosen = entries.getAll(entry).map(String);
      if (chosen.length === 0 && !field.isRequired) continue;
      if (chosen.length < Math.max(field.least ?? 0, field.isRequired ? 1 : 0)) throw new EntryError(entry, tooFew);
      if (chosen.length > (field.most ?? Infinity)) throw new EntryError(entry, tooMany);
      given.push([field.name, chosen]);
    } else if (text === '' && !field.isRequired) continue;
    else if (field.kind === 'number' || field.kind === 'integer') given.push([field.name, Number(text)]);
    else if (field.kind === 'datetime-local') given.push([field.name, instantOf(entries, entry)]);
    else given.push([field.name, text]);
  }
  return Object.fromEntries(given);
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function initialOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? localTime(value) : undefined;
}
