import { comment, inOneWord, operationsOf, resolved } from './document.mjs';

/**
 * The service cancels these operations when the caller disconnects. A retry with the same key would then return the
 * partial result as if it were complete, so the client never retries them.
 */
const ENDED_WITH_CALLER = ['openai.compactResponse', 'openai.createCompletion', 'openai.createResponse'];

/** A module with the route of each operation, and the interface of the client's methods. */
export function methodsFile(document) {
  const tree = nested(operationsOf(document).map((operation) => described(document, operation)));
  return [
    '// Made by client/generate.mjs from the OpenAPI document.',
    "import type { Pages } from '../pages';",
    "import type { MethodRequest } from '../request';",
    "import type * as types from './types';",
    '',
    '/** The route of each operation. */',
    `export const ROUTES = ${block(tree, route)} as const;`,
    '',
    '/** All routes of the service. Each method answers the body, or fails with an `ApiError`. */',
    `export interface ChatServiceMethods ${block(tree, (operation, indent) => summary(operation, indent) + signature(operation, indent), ';')}`,
    '',
  ].join('\n');
}

/** Groups the operations by the parts of their ids: `{ admin: { users: { list: … } } }`. */
function nested(operations) {
  const root = {};
  for (const operation of operations) {
    const names = operation.operationId.split('.');
    const last = names.pop();
    const place = names.reduce((parent, name) => (parent[name] ??= {}), root);
    place[last] = operation;
  }
  return root;
}

/** Adds the parameters, and what the client must know about the response. */
function described(document, operation) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter));
  const body = operation.requestBody && resolved(document, operation.requestBody);
  const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const contents = good.map(([, response]) => resolved(document, response).content ?? {});
  const content = Object.assign({}, ...contents);
  const takes = (name) => parameters.some((parameter) => parameter.name === name);
  return {
    ...operation,
    needsRequest: Boolean(body?.required) || parameters.some(({ required }) => required),
    isKeyed: takes('Idempotency-Key') && !ENDED_WITH_CALLER.includes(operation.operationId),
    answers: kindOf(content),
    hasCsv: 'text/csv' in content,
    pages: content['application/json'] && pagesOf(document, content['application/json'].schema, takes),
  };
}

function kindOf(content) {
  if (content['application/octet-stream']) return 'file';
  if (content['text/event-stream']) return 'stream';
  return content['application/json'] ? 'json' : 'text';
}

/** See `Route`. */
function pagesOf(document, schema, takes) {
  const answer = propertiesOf(document, schema);
  if (takes('page') && propertiesOf(document, answer.data ?? {}).pagination) return 'page';
  if (takes('after') && answer.has_more) return 'cursor';
  if (resolved(document, schema).type !== 'array') return undefined;
  if (takes('offset')) return 'offset';
  return takes('after') ? 'message' : undefined;
}

function propertiesOf(document, schema) {
  const { properties = {}, allOf = [] } = resolved(document, schema);
  return Object.assign({}, properties, ...allOf.map((part) => propertiesOf(document, part)));
}

function block(tree, write, end = ',', indent = '') {
  const inner = `${indent}  `;
  const lines = Object.entries(tree).map(([name, part]) =>
    part.operationId ? write(part, inner) : `${inner}${name}: ${block(part, write, end, inner)}${end}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const nameIn = ({ operationId }) => operationId.split('.').pop();

/**
 * `list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat' },` The parts that differ most come
 * last, which compresses best.
 */
function route(operation, indent) {
  const { method, answers, pages, isKeyed, path } = operation;
  const facts = { method, answers, ...(pages && { pages }), ...(isKeyed && { isKeyed }), path };
  const members = Object.entries(facts).map(([name, value]) => `${name}: ${value === true ? value : `'${value}'`}`);
  return `${indent}${nameIn(operation)}: { ${members.join(', ')} },`;
}

function summary(operation, indent) {
  const { summary: title, description, 'x-scope': scope } = operation;
  return comment(
    [[title, description].filter(Boolean).join('. '), scopeOf(scope)].filter(Boolean).join('\n\n'),
    indent,
  );
}

/** The API key scope of an operation. */
function scopeOf(scope) {
  return scope === null ? 'Not for API keys.' : scope && `Scope of API keys: \`${scope}\`.`;
}

/** `list(request: …): Promise<…>;`, with an overload for each response that only some requests receive. */
function signature(operation, indent) {
  const { operationId, needsRequest, hasCsv, pages } = operation;
  const type = inOneWord(operationId);
  const request = `MethodRequest<types.${type}Data>`;
  const hasBody = Object.entries(operation.responses).some(
    ([status, { $ref, content }]) => status.startsWith('2') && ($ref || content),
  );
  const answer = hasBody ? `types.${type}Response` : 'void';
  const special = (query, result) =>
    `${indent}${nameIn(operation)}(request: ${request} & { query: ${query} }): ${result};\n`;
  return [
    hasCsv ? special("{ format: 'csv' }", 'Promise<string>') : '',
    pages === 'message' ? special('{ after: number }', `Pages<${answer}>`) : '',
    `${indent}${nameIn(operation)}(request${needsRequest ? '' : '?'}: ${request}): `,
    pages && pages !== 'message' ? `Pages<${answer}>;` : `Promise<${answer}>;`,
  ].join('');
}
