/** A JSON Schema (2020-12) for one member of an event's data, with the keywords that events need. */
export interface FieldSchema {
  type: string | string[];
  description: string;
  format?: string;
  enum?: readonly (string | null)[];
  items?: { type: string };
  properties?: Record<string, FieldSchema>;
}

declare const VALUE: unique symbol;

/** A schema with the TypeScript type of its values. */
export interface Schema<Value> extends FieldSchema {
  /** For the compiler only; it does not exist at run time. */
  readonly [VALUE]?: Value;
}

/** The type of the values of a schema. */
export type ValueOf<Field> = Field extends Schema<infer Value> ? Value : never;

/** A member of an event's data, marked as a fact or as personal. */
export interface EventField<Value = unknown> {
  readonly schema: Schema<Value>;
  /** Whether the member identifies a person or contains text that a person wrote. Erasure empties it. */
  readonly isPersonal: boolean;
}

/** A member that remains when its account is erased: an id, a number, a state, a time. */
export const fact = <const Value>(schema: Schema<Value>): EventField<Value> => ({ schema, isPersonal: false });

/** A member that identifies a person, or that a person wrote. It is emptied when the account is erased. */
export const personal = <const Value>(schema: Schema<Value>): EventField<Value> => ({ schema, isPersonal: true });

export const integer = (description: string): Schema<number> => ({ type: 'integer', description });
export const optionalInteger = (description: string): Schema<number | null> => ({
  type: ['integer', 'null'],
  description,
});
export const flag = (description: string): Schema<boolean> => ({ type: 'boolean', description });
export const text = (description: string): Schema<string> => ({ type: 'string', description });
export const optionalText = (description: string): Schema<string | null> => ({
  type: ['string', 'null'],
  description,
});
/** A time, ISO 8601. */
export const instant = (description: string): Schema<string> => ({ type: 'string', format: 'date-time', description });
export const optionalInstant = (description: string): Schema<string | null> => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});
export const choice = <const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Schema<Choice> => ({
  type: 'string',
  enum: choices,
  description,
});
export const optionalChoice = <const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Schema<Choice | null> => ({ type: ['string', 'null'], enum: [...choices, null], description });
export const textList = (description: string): Schema<string[]> => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
/** An object with further members, or null. `Value` is its type, because such objects are defined elsewhere. */
export const optionalObject = <Value extends object>(
  description: string,
  properties: Record<string, FieldSchema>,
): Schema<Value | null> => ({ type: ['object', 'null'], description, properties });
