/** A JSON Schema (2020-12) for one member of an event's data, kept to what the catalogue needs. */
export interface FieldSchema {
  type: string | string[];
  description: string;
  format?: string;
  enum?: (string | null)[];
  items?: { type: string };
  properties?: Record<string, FieldSchema>;
}

/** What the catalogue tells about one kind of event. */
export interface EventKind {
  /** When it happens, in one sentence. */
  description: string;
  /** Members of `data`, each with its schema. */
  fields: Record<string, FieldSchema>;
  /** Those that are added for endpoints with `include_content`: what people wrote or read. */
  content?: Record<string, FieldSchema>;
  /** A realistic `data`, with its content. */
  example: Record<string, unknown>;
}

/** Kinds by event type. */
export type EventKinds = Record<string, EventKind>;

export const integer = (description: string): FieldSchema => ({ type: 'integer', description });
export const text = (description: string): FieldSchema => ({ type: 'string', description });
export const optionalText = (description: string): FieldSchema => ({ type: ['string', 'null'], description });
export const instant = (description: string): FieldSchema => ({ type: 'string', format: 'date-time', description });
export const optionalInstant = (description: string): FieldSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});
export const choice = (values: string[], description: string): FieldSchema => ({
  type: 'string',
  enum: values,
  description,
});
