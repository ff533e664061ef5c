import { comment, inOneWord, nameOf, operationsOf, resolved } from './document.mjs';

/** The type of a failure's body, by the schema of the body. */
const BODIES = { ErrorBody: 'ErrorBody', OpenAiErrorBody: 'OpenAiFailure' };

/** The document without failures. They share one format, so their own module lists them by code. */
export function withoutFailures(document) {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const { responses } of Object.values(item).filter((operation) => operation.operationId)) {
      Object.keys(responses)
        .filter(isFailure)
        .forEach((status) => delete responses[status]);
      // Removes descriptions such as `OK`, which the types already express.
      Object.keys(responses).forEach(
        (status) => (responses[status] = { ...resolved(copy, responses[status]), description: '' }),
      );
    }
  }
  const { schemas } = copy.components;
  Object.keys(schemas)
    .filter((name) => factsOf(schemas[name]))
    .forEach((name) => delete schemas[name]);
  delete schemas.ErrorBody;
  delete copy.components.responses;
  return copy;
}

/** A module with the failure type, the details of each code, and the possible failures of each operation. */
export function failuresFile(document) {
  const { schemas, responses } = document.components;
  const operations = operationsOf(document);
  const shared = Object.keys(responses).filter((name) => isUsed(operations, name));
  return [
    '// Made by client/generate.mjs from the OpenAPI document.',
    "import type * as types from './types';",
    '',
    '/** The codes of failures, and the facts that they tell. */',
    `export interface ErrorDetails {\n${detailsOf(schemas)}}`,
    '',
    comment(
      'A failure with one of these codes. `Details`: where an operation tells more than the code itself.',
    ).trimEnd(),
    'export type ErrorBody<Code extends types.ErrorCode = types.ErrorCode, Details = unknown> = {',
    '  success: false;',
    '  error: { [One in Code]: types.ErrorObject & { code: One; details: ErrorDetails[One] & Details } }[Code];',
    comment(schemas.ErrorBody.properties.timestamp.description, '  ') + '  timestamp: types.DateTime;',
    '};',
    '',
    '/** A failure in the form of OpenAI, with one of these codes. */',
    'export type OpenAiFailure<Code extends types.OpenAiErrorCode> = types.OpenAiErrorBody & { error: { code: Code } };',
    '',
    ...shared.map((name) => `type ${aliasOf(name)} = ${bodyOf(document, responses[name])};`),
    '',
    ...operations.map((operation) => failuresOf(document, operation)),
    '',
  ].join('\n');
}

const isFailure = (status) => !/^[23]/.test(status);

/** Reads `{ body, code, details }` from the schema of a failure; undefined for other schemas. */
function factsOf({ allOf: [body, more] = [] }) {
  if (!body?.$ref || !BODIES[nameOf(body)]) return undefined;
  const { code, details } = more.properties.error.properties;
  return { body: nameOf(body), code: code.const, details: details?.$ref && `types.${nameOf(details)}` };
}

/** `QUOTA_EXCEEDED: types.QuotaExceededDetails;`, with the meaning of the code. */
function detailsOf(schemas) {
  const summaries = new Map();
  for (const schema of Object.values(schemas)) {
    const { body, code } = factsOf(schema) ?? {};
    if (body === 'ErrorBody' && !summaries.has(code)) summaries.set(code, schema.description);
  }
  const lines = schemas.ErrorCode.enum.map((code) => {
    const summary = summaries.get(code);
    const details = detailsEverywhere(schemas, code) ?? 'Record<string, unknown>';
    return `${summary ? comment(summary, '  ') : ''}  ${code}: ${details};\n`;
  });
  return lines.join('');
}

/** Details that only some operations have, such as the checks of `/health`, are in another schema. */
function detailsEverywhere(schemas, code) {
  const name = `${inOneWord(code.toLowerCase())}Details`;
  return schemas[name]?.properties && `types.${name}`;
}

/** `404_2`: Failure404_2. */
const aliasOf = (name) => `Failure${name[0].toUpperCase()}${name.slice(1)}`;

function isUsed(operations, name) {
  return operations.some(({ responses }) =>
    Object.entries(responses).some(([status, { $ref }]) => isFailure(status) && $ref?.endsWith(`/responses/${name}`)),
  );
}

/**
 * `ErrorBody<'CHAT_NOT_FOUND' | 'FORBIDDEN'>` for the possible bodies of a response. Bodies defined by another standard
 * have no codes.
 */
function bodyOf(document, { content }) {
  const { schemas } = document.components;
  const codes = {};
  const others = [];
  for (const part of Object.values(content).flatMap(({ schema }) => schema.anyOf ?? [schema])) {
    const facts = factsOf(resolved(document, part));
    if (!facts) {
      others.push(part.$ref ? `types.${nameOf(part)}` : 'Record<string, unknown>');
      continue;
    }
    const { body, code, details } = facts;
    const isMore = body === 'ErrorBody' && details && details !== detailsEverywhere(schemas, code);
    ((codes[BODIES[body]] ??= {})[isMore ? `, ${details}` : ''] ??= new Set()).add(`'${code}'`);
  }
  const failures = Object.entries(codes).flatMap(([type, some]) =>
    Object.entries(some).map(([more, names]) => `${type}<${[...names].join(' | ')}${more}>`),
  );
  return [...failures, ...others].join(' | ');
}

function failuresOf(document, { operationId, responses }) {
  const type = inOneWord(operationId);
  const failures = Object.entries(responses).filter(([status]) => isFailure(status));
  const members = failures.map(
    ([status, response]) => `${status}: ${response.$ref ? aliasOf(nameOf(response)) : bodyOf(document, response)}`,
  );
  return [
    `export type ${type}Errors = { ${members.join('; ')} };`,
    `export type ${type}Error = ${type}Errors[keyof ${type}Errors];`,
  ].join('\n');
}
