import type { OpenAPIObject } from '@nestjs/swagger';
import { nameVariants, type Reference } from './share';

type Node = Record<string, unknown>;

interface Property {
  name: string;
  /** The schema of the property as JSON. */
  text: string;
  replace: (reference: Reference) => void;
}

/** Lists of schemas in a schema. */
const PARTS = ['allOf', 'anyOf', 'oneOf'];

/** `{"$ref":"#/components/schemas/"}` without the name. */
const REFERENCE_BYTES = 34;

/**
 * Describes properties that are identical in several schemas once, such as `email`, where that makes the document
 * shorter. Each becomes a schema of its own, `Email`.
 */
export function shareProperties(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  const all = Object.values(schemas).flatMap(propertiesOf);
  const places = new Map<string, number>();
  for (const property of all) {
    places.set(keyOf(property), (places.get(keyOf(property)) ?? 0) + 1);
  }
  const repeated = all.filter((property) => isWorthIt(property, places.get(keyOf(property)) ?? 0));
  const shared = nameVariants(
    repeated,
    ({ name }) => freeName(name, schemas),
    ({ text }) => text,
    ({ replace }, name) => replace({ $ref: `#/components/schemas/${name}` }),
  );
  Object.assign(schemas, Object.fromEntries(shared.map(([name, { text }]) => [name, JSON.parse(text) as Node])));
}

function isWorthIt({ name, text }: Property, places: number): boolean {
  return (places - 1) * text.length > places * (REFERENCE_BYTES + name.length);
}

function keyOf({ name, text }: Property): string {
  return `${name} ${text}`;
}

/** `UserType` for `user_type`; `UserTypeField` where a schema of the service has the first name. */
function freeName(property: string, schemas: Record<string, Node>): string {
  const name = property.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return name in schemas ? `${name}Field` : name;
}

/** The properties of a schema. References are short already. */
function propertiesOf(schema: Node): Property[] {
  const properties = (schema.properties ?? {}) as Record<string, Node>;
  const own = Object.entries(properties)
    .filter(([, property]) => !('$ref' in property))
    .map(([name, property]): Property => ({
      name,
      text: JSON.stringify(property),
      replace: (reference) => void (properties[name] = { ...reference }),
    }));
  return [...own, ...PARTS.flatMap((name) => (schema[name] ?? []) as Node[]).flatMap(propertiesOf)];
}
