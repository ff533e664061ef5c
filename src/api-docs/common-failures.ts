import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorDialects } from '../common/errors/error-dialects';
import { readsBody } from '../common/http/body/request-body';
import { type OperationObject, operationsOf } from './operations';
import { groupBy } from './share';

type Response = OperationObject['responses'][string];

interface Failure {
  /** The error codes. */
  description: string;
  content: { 'application/json': { schema: { anyOf?: object[] } } };
  headers?: object;
}

/** Each route documents its own access rules, so these statuses are never shared. */
const OF_THE_ROUTE = ['401', '403'];

/**
 * Describes the failures that every route can return as the `default` response: malformed requests and overload. An
 * operation then lists under a status only its own failures. A status with further codes keeps all its codes, because
 * OpenAPI uses `default` only for statuses that are not listed. The description names the status of each code. The only
 * route of its kind keeps all its failures.
 */
export function shareCommonFailures(document: OpenAPIObject, dialects: ErrorDialects): void {
  const groups = groupBy(operationsOf(document), ({ path, method }) =>
    JSON.stringify([dialects.of(path).names.body, readsBody(method)]),
  );
  for (const group of [...groups.values()].filter(({ length }) => length > 1)) {
    const operations = group.map(({ operation }) => operation);
    const common = commonFailures(operations);
    for (const { responses } of operations) {
      if (common.every(([status]) => status in responses)) {
        common
          .filter(([status, text]) => JSON.stringify(responses[status]) === text)
          .forEach(([status]) => delete responses[status]);
        responses.default = inOne(common.map(([status, text]) => [status, JSON.parse(text) as Failure]));
      }
    }
  }
}

/** The failures that more than half of the operations share, by status, as JSON. */
function commonFailures(operations: OperationObject[]): [status: string, text: string][] {
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400 && !OF_THE_ROUTE.includes(status))
      .map(([status, response]): [string, string] => [status, JSON.stringify(response)]),
  );
  return [...groupBy(all, (failure) => failure.join(' ')).values()]
    .filter(({ length }) => length > operations.length / 2)
    .flatMap((same) => same.slice(0, 1))
    .sort(([one], [other]) => Number(one) - Number(other));
}

function inOne(failures: [status: string, failure: Failure][]): Response {
  const all = failures.flatMap(([, { content }]) => {
    const { schema } = content['application/json'];
    return schema.anyOf ?? [schema];
  });
  const schemas = [...groupBy(all, (schema) => JSON.stringify(schema)).values()].flatMap((same) => same.slice(0, 1));
  const codes = failures.map(([status, { description }]) => `${status} ${description}`);
  return {
    description: `Errors that any operation can return: ${codes.join('; ')}.`,
    content: { 'application/json': { schema: { anyOf: schemas } } },
    headers: Object.assign({}, ...failures.map(([, { headers }]) => headers)) as Failure['headers'],
  } as Response;
}
