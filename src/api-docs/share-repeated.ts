import type { OpenAPIObject } from '@nestjs/swagger';
import { LanguageBodyDto } from '../common/validation/language-body.dto';
import { operationsOf } from './operations';
import { type Named, type Reference, share } from './share';

/** A part that occurs this often is shared. */
const COMMON = 2;

/** Shorter examples, in characters, take no more space than a reference. */
const LONG_EXAMPLE = 80;

/** Describes the repeated parts of operations once. Otherwise failures alone would be two thirds of the document. */
export function shareRepeated(document: OpenAPIObject): void {
  share(document, 'responses', failuresOf(document));
  share(document, 'responses', successesOf(document), COMMON);
  share(document, 'examples', examplesOf(document), COMMON);
  share(document, 'parameters', parametersOf(document), COMMON);
  share(document, 'requestBodies', languageBodiesOf(document));
}

/** Failures are named after their status, because each operation has ten of them. */
function failuresOf(document: OpenAPIObject): Named<object>[] {
  return operationsOf(document).flatMap(({ operation: { responses } }) =>
    Object.entries(responses)
      .filter(([status]) => !isSuccess(status))
      .map(([status, value]) => ({
        name: status,
        value: value ?? {},
        replace: (reference: Reference): void => void (responses[status] = reference),
      })),
  );
}

/** Examples that are named in their responses, such as those of events. */
function examplesOf(document: OpenAPIObject): Named<object>[] {
  const own = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const media = [...own, ...Object.values(document.components?.responses ?? {})].flatMap((response) =>
    response && 'content' in response ? Object.values(response.content ?? {}) : [],
  );
  return media.flatMap(({ examples = {} }) =>
    Object.entries(examples)
      .filter(([, value]) => JSON.stringify(value).length > LONG_EXAMPLE)
      .map(([name, value]) => ({ name, value, replace: (reference) => void (examples[name] = reference) })),
  );
}

/** Named after the first operation with this response. */
function successesOf(document: OpenAPIObject): Named<object>[] {
  const names = new Map<string, string>();
  return operationsOf(document).flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses)
      .filter(([status, response]) => isSuccess(status) && response !== undefined)
      .map(([status, response]) => {
        const text = JSON.stringify(response);
        const name = names.get(text) ?? `${inOneWord(operationId ?? '')}${status}`;
        names.set(text, name);
        const replace = (reference: Reference): void => void (responses[status] = reference);
        return { name, value: response ?? {}, replace };
      }),
  );
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

/** `default` counts as a failure. */
function isSuccess(status: string): boolean {
  return Number(status) < 400;
}

/** `adminUsersList` for `admin.users.list`. */
function inOneWord(operationId: string): string {
  return operationId.replace(/\.(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
