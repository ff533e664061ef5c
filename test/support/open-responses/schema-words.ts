export type Schema = Record<string, unknown>;

export const string: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer', minimum: 0 };
export const number: Schema = { type: 'number' };
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const constant = (value: string): Schema => ({ const: value });

/** An object with exactly these members; those in `optional` may be absent. */
export function object(properties: Record<string, Schema>, optional: string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
