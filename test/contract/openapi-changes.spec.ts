import { documentBreaks } from '../support/openapi-changes/document-breaks';
import { BODY, documentWith, NOTE, PATH, ROUTE, SCHEMAS } from '../support/openapi-changes/sample-api';

describe('the comparison of two API documents', () => {
  it('finds nothing between a document and itself', () => {
    expect(documentBreaks(documentWith(), documentWith())).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a path', { 'paths/~1notes': undefined }, 'GET /notes: is gone'],
    ['an operation', { [PATH]: undefined }, 'POST /notes/{id}: is gone'],
    ['an id', { [`${PATH}/operationId`]: 'notes.create' }, 'POST /notes/{id}: notes.add became notes.create'],
    ['a parameter', { [`${PATH}/parameters/1`]: ROUTE.parameters[0] }, 'POST /notes/{id} query sort: is gone'],
    ['an answer', { [`${PATH}/responses/404`]: undefined }, 'POST /notes/{id} 404: is gone'],
    [
      'a media type',
      { [`${PATH}/responses/200/content/text~1csv`]: undefined },
      'POST /notes/{id} 200 text/csv: is gone',
    ],
    ['a header', { [`${PATH}/responses/200/headers`]: {} }, 'POST /notes/{id} 200 header X-Total-Count: is gone'],
    ['a body', { [`${PATH}/requestBody`]: undefined }, 'POST /notes/{id} body: is gone'],
    ['a way to log in', { [`${PATH}/security`]: [{ bearer: [] }] }, 'POST /notes/{id}: apiKey is refused'],
    ['a member of requests', { [`${BODY}/properties/tags`]: undefined }, 'NewNote.tags in requests: is gone'],
    ['a member of answers', { [`${NOTE}/properties/text`]: undefined }, 'Note.text in answers: is gone'],
    [
      'a member of a kind',
      { 'components/schemas/FilePart/properties/hash': undefined },
      'Note.part.hash in answers: is gone',
    ],
    [
      'a value of requests',
      { [`${BODY}/properties/color/enum`]: ['red', null] },
      'NewNote.color in requests: takes no blue any more',
    ],
    [
      'null in requests',
      { [`${BODY}/properties/color/nullable`]: false },
      'NewNote.color in requests: null is refused',
    ],
    [
      'a form of requests',
      { [`${BODY}/properties/about`]: { type: 'string' } },
      'NewNote.about in requests: object became string',
    ],
    [
      'an enumeration of answers',
      { [`${NOTE}/properties/state/enum`]: undefined },
      'Note.state in answers: is no enumeration any more',
    ],
    [
      'a format of answers',
      { [`${NOTE}/properties/at/format`]: undefined },
      'Note.at in answers: format date-time became none',
    ],
  ])('finds that %s was removed', (_what, changes, found) => {
    expect(documentBreaks(documentWith(), documentWith(changes)).join('\n')).toContain(found);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a login', { 'paths/~1notes/get/security': [{ bearer: [] }] }, 'GET /notes: needs a login now'],
    ['a scope', { [`${PATH}/x-scope`]: 'admin:write' }, 'POST /notes/{id}: scope notes:write became admin:write'],
    ['a parameter', { [`${PATH}/parameters/1/required`]: true }, 'POST /notes/{id} query sort: is required now'],
    [
      'a new parameter',
      { [`${PATH}/parameters/2`]: { name: 'from', in: 'query', required: true, schema: { type: 'string' } } },
      'POST /notes/{id} query from: is required now',
    ],
    ['the body', { [`${PATH}/requestBody/required`]: true }, 'POST /notes/{id} body: is required now'],
    ['a member', { [`${BODY}/required`]: ['text', 'tags'] }, 'NewNote.tags in requests: is required now'],
    [
      'a new member',
      { [`${BODY}/required`]: ['text', 'mood'], [`${BODY}/properties/mood`]: { type: 'string' } },
      'NewNote.mood in requests: is required now',
    ],
    [
      'certain values',
      { [`${BODY}/properties/text/enum`]: ['Hello'] },
      'NewNote.text in requests: takes only certain values now',
    ],
    [
      'a smaller length',
      { [`${BODY}/properties/text/maxLength`]: 100 },
      'NewNote.text in requests: maxLength 500 became 100',
    ],
    ['a length', { [`${BODY}/properties/text/minLength`]: 1 }, 'NewNote.text in requests: minLength none became 1'],
    ['a pattern', { [`${BODY}/properties/text/pattern`]: '^a' }, 'NewNote.text in requests: pattern none became ^a'],
    [
      'a larger number',
      { [`${PATH}/parameters/0/schema/minimum`]: 2 },
      'POST /notes/{id} path id in requests: minimum 1 became 2',
    ],
  ])('finds that %s is required', (_what, changes, found) => {
    const open = documentWith({ 'paths/~1notes/get/security': [] });
    const now = { 'paths/~1notes/get/security': [], ...changes };
    expect(documentBreaks(open, documentWith(now)).join('\n')).toContain(found);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'the type of a request',
      { [`${BODY}/properties/tags/items/type`]: 'integer' },
      'NewNote.tags[] in requests: string became integer',
    ],
    [
      'the type of an answer',
      { [`${NOTE}/properties/id/type`]: 'string' },
      'Note.id in answers: integer became string',
    ],
    [
      'whole numbers of answers',
      { [`${NOTE}/properties/id/type`]: 'number' },
      'Note.id in answers: integer became number',
    ],
    [
      'the type of values',
      { [`${NOTE}/properties/counts/additionalProperties/type`]: 'string' },
      'Note.counts.* in answers: integer became string',
    ],
    ['what is always answered', { [`${NOTE}/required`]: ['id', 'part'] }, 'Note.state in answers: may be absent now'],
    ['null in answers', { [`${NOTE}/properties/text/nullable`]: true }, 'Note.text in answers: may be null'],
  ])('finds that %s changed', (_what, changes, found) => {
    expect(documentBreaks(documentWith(), documentWith(changes)).join('\n')).toContain(found);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a path', { 'paths/~1notes/put': { ...ROUTE, operationId: 'notes.replace' } }],
    ['a parameter', { [`${PATH}/parameters/2`]: { name: 'from', in: 'query', schema: { type: 'string' } } }],
    ['a member of requests', { [`${BODY}/properties/mood`]: { type: 'string' } }],
    [
      'a member of answers',
      { [`${NOTE}/properties/mood`]: { type: 'string' }, [`${NOTE}/required`]: ['id', 'part', 'state', 'mood'] },
    ],
    ['a value of requests', { [`${BODY}/properties/color/enum`]: ['red', 'blue', 'green', null] }],
    ['a value of answers', { [`${NOTE}/properties/state/enum`]: ['new', 'read', 'gone'] }],
    [
      'a kind of part',
      {
        [`${NOTE}/properties/part/oneOf/2`]: {
          type: 'object',
          properties: { type: { type: 'string', enum: ['link'] } },
        },
      },
    ],
    ['room', { [`${BODY}/properties/text/maxLength`]: 1_000 }],
    ['an answer', { [`${PATH}/responses/409`]: ROUTE.responses[404] }],
    ['a way to log in', { [`${PATH}/security/2`]: { ticket: [] } }],
  ])('treats another %s as an addition', (_what, changes) => {
    expect(documentBreaks(documentWith(), documentWith(changes))).toEqual([]);
  });

  it('ignores differences in notation between OpenAPI 3.0 and 3.1, and resolves inheritance', () => {
    const { About, NewNote, Note, TextPart } = SCHEMAS;
    const { text, ...others } = NewNote.properties;
    const changes = {
      [`${BODY}/properties`]: { ...others, color: { type: ['string', 'null'], enum: ['red', 'blue', null] } },
      [`${BODY}/allOf`]: [{ type: 'object', properties: { text } }],
      [`${NOTE}/properties/part`]: { anyOf: Note.properties.part.oneOf },
      [`${NOTE}/properties/state`]: {
        anyOf: [
          { const: 'new', type: 'string' },
          { const: 'read', type: 'string' },
        ],
      },
      'components/schemas/TextPart': {
        allOf: [TextPart, { type: 'object', properties: { length: { type: 'integer' } } }],
      },
      'components/schemas/About': { ...About, properties: { page: { type: ['integer', 'null'] } } },
    };
    expect(documentBreaks(documentWith(), documentWith(changes))).toEqual([]);
  });
});
