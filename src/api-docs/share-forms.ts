import type { OpenAPIObject } from '@nestjs/swagger';
import { nameVariants, type Reference } from './share';

type Node = Record<string, unknown>;

/** A property that is a text of some format, without what is said of it alone. */
interface Form {
  format: string;
  schema: Node;
  replace: (reference: Reference) => void;
}

/** Lists of schemas in a schema. */
const PARTS = ['allOf', 'anyOf', 'oneOf'];

/** A form in so many places is shared. */
const COMMON = 3;

const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';

/**
 * Describes once each form of texts with a format, such as times: `DateTime`. What a text means, and may be null, stands beside
 * the reference.
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

/** `DateTime` of `date-time`; where a schema has this name, `PasswordText`. */
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

/** An answer's time is like every other. What is sent may have to lie in the future. */
function withCommonExample(form: Node): Node {
  const isAnswered = form.format === 'date-time' && form.maxLength === undefined;
  return isAnswered ? { ...form, examples: [EXAMPLE_TIME] } : form;
}
