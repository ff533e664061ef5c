import type { OpenAPIObject } from '@nestjs/swagger';

/** The route of a small API, as OpenAPI 3.0 describes it. */
export const ROUTE = {
  operationId: 'notes.add',
  security: [{ bearer: [] }, { apiKey: [] }],
  'x-scope': 'notes:write',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
    { name: 'sort', in: 'query', required: false, schema: { type: 'string', enum: ['asc', 'desc'] } },
  ],
  requestBody: {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/NewNote' } } },
  },
  responses: {
    200: {
      headers: { 'X-Total-Count': { schema: { type: 'integer' } } },
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Note' } },
        'text/csv': { schema: { type: 'string' } },
      },
    },
    404: { content: { 'application/json': { schema: { type: 'object' } } } },
  },
};

export const SCHEMAS = {
  NewNote: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string', maxLength: 500 },
      color: { type: 'string', nullable: true, enum: ['red', 'blue', null] },
      tags: { type: 'array', items: { type: 'string' } },
      about: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/About' }] },
    },
  },
  About: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } },
  Note: {
    type: 'object',
    required: ['id', 'part', 'state'],
    properties: {
      id: { type: 'integer' },
      text: { type: 'string' },
      state: { type: 'string', enum: ['new', 'read'] },
      at: { type: 'string', format: 'date-time' },
      part: { oneOf: [{ $ref: '#/components/schemas/TextPart' }, { $ref: '#/components/schemas/FilePart' }] },
      answers: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
    },
  },
  TextPart: {
    type: 'object',
    required: ['type', 'text'],
    properties: { type: { type: 'string', enum: ['text'] }, text: { type: 'string' } },
  },
  FilePart: {
    type: 'object',
    required: ['type', 'hash'],
    properties: { type: { type: 'string', enum: ['file'] }, hash: { type: 'string' } },
  },
};

type Value = Record<string, unknown>;

/** Locations in the document, for `documentWith`. */
export const PATH = 'paths/~1notes~1{id}/post';
export const BODY = 'components/schemas/NewNote';
export const NOTE = 'components/schemas/Note';

/** The document, changed at these locations; undefined removes the value there. */
export function documentWith(changes: Record<string, unknown> = {}): OpenAPIObject {
  const sample = {
    openapi: '3.0.0',
    info: { title: 'Notes', version: '1' },
    paths: { '/notes/{id}': { post: ROUTE }, '/notes': { get: { ...ROUTE, operationId: 'notes.list' } } },
    components: { schemas: SCHEMAS },
  };
  const document = JSON.parse(JSON.stringify(sample)) as Value & OpenAPIObject;
  for (const [place, value] of Object.entries(changes)) {
    const keys = place.split('/').map((name) => name.replaceAll('~1', '/'));
    const last = keys.pop() as string;
    const holder = keys.reduce<Value>((node, key) => node[key] as Value, document);
    if (value === undefined) delete holder[last];
    else holder[last] = value;
  }
  return document;
}
