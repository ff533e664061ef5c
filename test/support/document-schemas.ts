import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { createParser } from 'eventsource-parser';
import { builtDocument } from './built-document';

type Schema = Record<string, unknown>;

/** One event in a stream, with its data parsed; `[DONE]` is left out. */
export interface StreamEvent {
  event: string | undefined;
  data: Record<string, unknown>;
}

const SCHEMAS = '#/components/schemas/';

/** Appended to the name of a schema: the same schema without additional members. */
const CLOSED = '.closed';

/**
 * Checks values against the schemas in the OpenAPI document of the built service. Unlike clients, it refuses members
 * that are not in the schemas, because a schema must be complete.
 */
export class DocumentSchemas {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly known = new Map<string, ValidateFunction>();

  private constructor(readonly document: OpenAPIObject) {
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'document', components: { schemas: withClosed(this.schemas) } });
  }

  static async load(): Promise<DocumentSchemas> {
    return new DocumentSchemas((await builtDocument()).document);
  }

  get schemas(): Record<string, Schema> {
    return (this.document.components?.schemas ?? {}) as Record<string, Schema>;
  }

  /** The schema of each event of a reply by its name, as `x-events` has it. */
  get replyEvents(): Record<string, string> {
    const events = this.schemas.ReplyEventData?.['x-events'] as Record<string, string>;
    return Object.fromEntries(Object.entries(events).map(([event, path]) => [event, path.replace(SCHEMAS, '')]));
  }

  /** The values by which the alternatives of a schema are distinguished. */
  typesOf(name: string): string[] {
    const { discriminator } = this.schemas[name] as { discriminator: { mapping: Record<string, string> } };
    return Object.keys(discriminator.mapping);
  }

  isOf(name: string, value: unknown): boolean {
    return this.validator(name)(value);
  }

  /** The value. @throws if it does not match this schema in the document */
  check<Value>(name: string, value: Value): Value {
    const isValid = this.validator(name);
    if (!isValid(value)) {
      throw new Error(`No ${name}: ${this.ajv.errorsText(isValid.errors)} in ${JSON.stringify(value)}`);
    }
    return value;
  }

  private validator(name: string): ValidateFunction {
    const validate = this.known.get(name) ?? this.ajv.compile({ $ref: `document${SCHEMAS}${name}${CLOSED}` });
    this.known.set(name, validate);
    return validate;
  }
}

/** The events in a stream, read by the standard's parser. */
export function eventsIn(stream: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data !== '[DONE]') events.push({ event, data: JSON.parse(data) as StreamEvent['data'] });
    },
  });
  parser.feed(stream);
  return events;
}

/** Each schema twice: open, for schemas that extend it, and closed. */
function withClosed(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => [
      [name, closed(schema, true)],
      [`${name}${CLOSED}`, closed(schema)],
    ]),
  );
}

/** @param isOpen for a part of `allOf`, which does not know the members of the other parts */
function closed(schema: Schema, isOpen = false): Schema {
  if (typeof schema.$ref === 'string') {
    return isOpen ? schema : { ...schema, $ref: `${schema.$ref}${CLOSED}` };
  }
  const list = (name: string, areOpen: boolean): Schema => {
    const parts = schema[name] as Schema[] | undefined;
    return parts ? { [name]: parts.map((part) => closed(part, areOpen)) } : {};
  };
  const isWhole = !isOpen && schema.additionalProperties === undefined && ('properties' in schema || 'allOf' in schema);
  return {
    ...schema,
    ...list('allOf', true),
    ...list('anyOf', isOpen),
    ...list('oneOf', isOpen),
    ...(isSchema(schema.items) && { items: closed(schema.items) }),
    ...(isSchema(schema.additionalProperties) && { additionalProperties: closed(schema.additionalProperties) }),
    ...(isSchema(schema.properties) && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, closed(member as Schema)]),
      ),
    }),
    ...(isWhole && { unevaluatedProperties: false }),
  };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
