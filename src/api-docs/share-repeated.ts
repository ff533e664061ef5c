import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorBody } from '../common/errors/error-body';
import { capitalized } from '../common/errors/error-documentation';
import { LanguageBodyDto } from '../common/validation/language-body.dto';
import { operationsOf } from './operations';
import { type Named, type Reference, share } from './share';

interface Example {
  value: ErrorBody;
}

/** A response with failures. When its examples are shared, they become references. */
interface Failures {
  content: { 'application/json': { examples: Record<string, Example | Reference> } };
}

/** A parameter in at least so many places is shared. */
const COMMON_PARAMETER = 2;

/** Describes parts of many operations once. Otherwise failures alone would be two thirds of the document. */
export function shareRepeated(document: OpenAPIObject): void {
  const failures = failuresOf(document);
  share(document, 'examples', failures.flatMap(examplesOf));
  // After the examples, because responses that differed only in their examples are equal now.
  share(document, 'responses', failures);
  share(document, 'responses', successesOf(document), 2);
  share(document, 'parameters', parametersOf(document), COMMON_PARAMETER);
  share(document, 'requestBodies', languageBodiesOf(document));
}

function failuresOf(document: OpenAPIObject): (Named<Failures> & { status: string })[] {
  return operationsOf(document).flatMap(({ operation: { responses } }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => {
        const value = response as unknown as Failures;
        const codes = Object.values(value.content['application/json'].examples).map(codeOf);
        const replace = (reference: Reference): void => void (responses[status] = reference);
        return { name: nameOf(codes, status), status, value, replace };
      }),
  );
}

/** The first operation with this answer gives the name. */
function successesOf(document: OpenAPIObject): Named<object>[] {
  const names = new Map<string, string>();
  return operationsOf(document).flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses)
      .filter(([status, response]) => Number(status) < 400 && response !== undefined)
      .map(([status, response]) => {
        const text = JSON.stringify(response);
        const name = names.get(text) ?? `${inOneWord(operationId ?? '')}${status}`;
        names.set(text, name);
        const replace = (reference: Reference): void => void (responses[status] = reference);
        return { name, value: response ?? {}, replace };
      }),
  );
}

function examplesOf({ value, status }: { value: Failures; status: string }): Named<Example>[] {
  const { examples } = value.content['application/json'];
  return Object.entries(examples).map(([key, example]) => ({
    name: nameOf([codeOf(example)], status),
    value: example as Example,
    replace: (reference) => void (examples[key] = reference),
  }));
}

function parametersOf(document: OpenAPIObject): Named<object>[] {
  return operationsOf(document).flatMap(({ operation: { parameters = [] } }) =>
    parameters.map((value, index) => ({
      name: 'name' in value ? value.name : '',
      value,
      replace: (reference) => void (parameters[index] = reference),
    })),
  );
}

function languageBodiesOf(document: OpenAPIObject): Named<object>[] {
  return operationsOf(document)
    .filter(({ operation }) => JSON.stringify(operation.requestBody ?? {}).includes(`/${LanguageBodyDto.name}"`))
    .map(({ operation }) => ({
      name: 'Language',
      value: operation.requestBody ?? {},
      replace: (reference) => void (operation.requestBody = reference),
    }));
}

function codeOf(example: Example | Reference): string {
  return (example as Example).value.error.code;
}

/** `ChatNotFoundOrAgentNotFound404`, or of many codes `Conflict409`: names that generated clients can use. */
function nameOf(codes: string[], status: string): string {
  const names = [...new Set(codes)].map(capitalized);
  return `${names.length > 2 ? STATUS_CODES[status]?.replaceAll(' ', '') : names.join('Or')}${status}`;
}

/** `adminUsersList` of `admin.users.list`. */
function inOneWord(operationId: string): string {
  return operationId.replace(/\.(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
