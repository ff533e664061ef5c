import type { Choice } from '../../form/choices';
import { instantOf, localTime } from '../../form/entries';
import { EntryError } from '../../form/faults';
import { textOf as entryText } from '../../form/text-entry';

type Schema = Record<string, unknown>;

/** A field of a form that a server asks for. */
export interface SchemaField {
  /** In the answer. */
  name: string;
  kind: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  label: string;
  hint: string | undefined;
  isRequired: boolean;
  /** Of `choice` and `choices`. */
  choices: Choice[];
  /** Of a number its value, of a text its length, of `choices` how many. */
  least: number | undefined;
  most: number | undefined;
  /** What it begins with. */
  initial: string | undefined;
  /** The same of `boolean` and `choices`. */
  initials: string[];
}

/** The browser's entries for the formats that the protocol knows. */
const FORMATS = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const;

/** The fields of a form, in the order of its schema. What this page does not know is a text. */
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

/** `enum`, with names where it has them, or constants with titles. */
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

/** Where the entries of a form are, also in the service's faults. */
export function entryOf({ name }: SchemaField): string {
  return `arguments.${name}`;
}

/**
 * What the form answers. An entry that is empty and need not be there is left out.
 *
 * @param tooFew and `tooMany`: what is said of choices
 * @throws EntryError for choices of which there are too few or too many, which no browser checks
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
