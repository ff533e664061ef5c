import type { OpenAPIObject } from '@nestjs/swagger';
import { nameVariants, type Reference } from './share';

type Node = Record<string, unknown>;

/** A string property with a format, without its own description and example. */
interface Form {
  format: string;
  schema: Node;
  replace: (reference: Reference) => void;
}

/** Lists of schemas in a schema. */
const PARTS = ['allOf', 'anyOf', 'oneOf'];

/** A form that occurs this often is shared. */
const COMMON = 3;

const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';

/**
 * Describes each form of strings with a format, such as times, once: `DateTime`. The description of a property and
 * `null` stay next to the reference.
 */
export function shareForms(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  const shared = nameVariants(
    Object.values(schemas).flatMap(formsOf),
    ({ format }) => freeName(format, schemas),
    ({ schema }) => JSON.stringify(schema),
    ({ replace }, name) => replace({ $ref: `#/components/schemas/${name}` }),
    COMMON,
  );
  Object.assign(schemas, Object.fromEntries(shared.map(([name, { schema }]) => [name, schema])));
}

/** `DateTime` for `date-time`; `PasswordText` where a schema already has the first name. */
function freeName(format: string, schemas: Record<string, Node>): string {
  const name = format.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return name in schemas ? `${name}Text` : name;
}

function formsOf(schema: Node): Form[] {
  const properties = (schema.properties ?? {}) as Record<string, Node>;
  const own = Object.entries(properties)
    .filter(([, { type, format }]) => [type].flat().includes('string') && format !== undefined)
    .map(([property, { description, ...form }]): Form => ({
      format: String(form.format),
      schema: withCommonExample(form),
      replace: (reference) =>
        void (properties[property] = { ...(description !== undefined && { description }), ...reference }),
    }));
  return [...own, ...PARTS.flatMap((name) => (schema[name] ?? []) as Node[]).flatMap(formsOf)];
}

/** All times in responses share one example. A time in a request may have to be in the future. */
function withCommonExample(form: Node): Node {
  const isAnswered = form.format === 'date-time' && form.maxLength === undefined;
  return isAnswered ? { ...form, examples: [EXAMPLE_TIME] } : form;
}
