import { operationsOf } from '../../src/api-docs/operations';
import { parseCsv } from '../support/csv';
import { dereference } from '../support/dereference';
import { DocumentSchemas, eventsIn } from '../support/document-schemas';

interface Schema {
  $ref?: string;
  type?: string;
  examples?: unknown[];
  anyOf?: Schema[];
  discriminator?: { mapping: Record<string, string> };
  'x-events'?: Record<string, string>;
}

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: Record<string, unknown> }>;
}

/** A media type of a body or of an answer. */
interface Place {
  at: string;
  type: string;
  media: MediaType;
  /** Of the answer. */
  description: string;
}

describe('media types that are not JSON, in the OpenAPI document', () => {
  let schemas: DocumentSchemas;
  let places: Place[];

  beforeAll(async () => {
    schemas = await DocumentSchemas.load();
    places = operationsOf(dereference(schemas.document)).flatMap(({ operation }) =>
      Object.entries({ body: operation.requestBody, ...operation.responses }).flatMap(([holder, value]) => {
        const { content = {}, description = '' } = (value ?? {}) as {
          content?: Record<string, MediaType>;
          description?: string;
        };
        const at = `${operation.operationId} ${holder}`;
        return Object.entries(content).map(([type, media]) => ({ at: `${at} ${type}`, type, media, description }));
      }),
    );
  });

  const of = (type: string): Place[] => places.filter((place) => place.type === type);

  it('have an example, each of them', () => {
    const others = places.filter(({ type }) => type !== 'application/json');
    const faults = others.filter(({ media }) => {
      const fields = Object.values((named(media.schema) as { properties?: Record<string, Schema> }).properties ?? {});
      const inSchema = [media.schema ?? {}, ...fields].some((schema) => named(schema).examples !== undefined);
      return media.example === undefined && media.examples === undefined && !inSchema;
    });
    expect(faults.map(({ at }) => at)).toEqual([]);
    const binary = [
      'application/x-ndjson',
      'application/x-www-form-urlencoded',
      'application/zip',
      'multipart/form-data',
    ];
    const types = ['application/octet-stream', ...binary, 'text/csv', 'text/event-stream'];
    expect([...new Set(others.map(({ type }) => type))].sort()).toEqual([...types, 'text/plain']);
  });

  it('show each event of every stream, by the schema of its data', () => {
    expect(of('text/event-stream').length).toBeGreaterThan(6);
    for (const { at, media } of of('text/event-stream')) {
      const shown = Object.entries(media.examples ?? {});
      const all = alternativesOf(media.schema);
      const names = all.flatMap((schema) => Object.keys(schema['x-events'] ?? {})).map((event) => `sse.${event}`);
      const types = all.flatMap(({ discriminator }) => Object.keys(discriminator?.mapping ?? {}));
      const lacking = [
        ...names.filter((name) => !shown.some(([key]) => key === name)),
        ...types.filter((type) => !shown.some(([, { value }]) => value.type === type)),
        ...leavesOf(media.schema).filter((name) => !shown.some(([, { value }]) => schemas.isOf(name, value))),
      ];
      expect({ at, lacking }).toEqual({ at, lacking: [] });
      const unknown = shown.filter(
        ([, { value }]) => !leavesOf(media.schema).some((name) => schemas.isOf(name, value)),
      );
      expect({ at, unknown }).toEqual({ at, unknown: [] });
    }
  });

  it('show streams as they are sent, with data of these schemas', () => {
    const streams = of('text/event-stream').flatMap(({ description, media }) =>
      [...description.matchAll(/```text\n(.*?)\n```/gs)].map(([, text]) => ({
        names: leavesOf(media.schema),
        events: eventsIn(`${text}\n\n`),
      })),
    );
    expect(streams.length).toBeGreaterThan(6);
    for (const { names, events } of streams) {
      expect(events.length).toBeGreaterThan(3);
      const faults = events.filter(({ data }) => !names.some((name) => schemas.isOf(name, data)));
      expect(faults).toEqual([]);
    }
  });

  it('show the text of a reply with its trailer', () => {
    const replies = of('text/plain').filter(({ media }) => JSON.stringify(media.schema).includes('x-trailer'));
    expect(replies).toHaveLength(5);
    for (const { media } of replies) {
      const [text, trailer = ''] = (media.example as string).split('\n__TOKEN_USAGE__');
      expect(text).not.toBe('');
      schemas.check('ReplyTrailerDto', JSON.parse(trailer));
    }
  });

  it('show the column names of lists exported as files', () => {
    expect(of('text/csv').length).toBeGreaterThan(8);
    for (const { at, media } of of('text/csv')) {
      const { header, rows } = parseCsv(media.example as string);
      expect({ at, columns: header.length > 1, rows }).toEqual({ at, columns: true, rows: [] });
    }
  });

  function named(schema: Schema = {}): Schema {
    return schema.$ref ? (schemas.schemas[schema.$ref.split('/').pop() ?? ''] as Schema) : schema;
  }

  /** A schema, and its alternatives. */
  function alternativesOf(schema: Schema | undefined): Schema[] {
    const found = named(schema);
    return [found, ...(found.anyOf ?? []).flatMap(alternativesOf)];
  }

  /** Names of the schemas of single events. */
  function leavesOf(schema: Schema = {}): string[] {
    const { anyOf } = named(schema);
    return anyOf ? anyOf.flatMap(leavesOf) : [schema.$ref?.split('/').pop() ?? ''];
  }
});
