import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiPaths } from '../common/http/api-paths';
import { operationsOf } from './operations';

type Components = NonNullable<OpenAPIObject['components']>;
type Headers = NonNullable<Components['headers']>;
type ResponseObject = Extract<NonNullable<Components['responses']>[string], { description: string }>;

/** The headers that the pipeline sends with the responses of all routes. */
const PIPELINE_HEADERS: Headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed per minute.', schema: { type: 'integer', example: 60 } },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute.',
    schema: { type: 'integer', example: 59 },
  },
  'X-RateLimit-Reset': {
    description: 'When the current minute ends, in Unix seconds.',
    schema: { type: 'integer', example: 1_769_851_860 },
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer', example: 30 } },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string', example: 'Bearer' } },
};

const RATE_LIMIT = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Further headers of responses with a status. */
const BY_STATUS: Record<string, string> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

/**
 * Adds the headers that the pipeline sends with failures. The document describes each header once in its components,
 * including the headers of single routes. Otherwise 800 responses would repeat them.
 */
export function documentHeaders(document: OpenAPIObject, paths: ApiPaths): void {
  const shared: Headers = {};
  for (const { path, operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response && 'description' in response) {
        share(shared, response, { ...pipelineHeaders(paths.includes(path), status), ...response.headers });
      }
    }
  }
  document.components = { ...document.components, headers: shared };
}

/**
 * Every response has the request's id, and every counted response has the limits, as the first page says. The document
 * lists them only where clients look for them: repeated on a thousand responses, they would be a tenth of it.
 */
function pipelineHeaders(isOfApi: boolean, status: string): Headers {
  const isLimitShown = isOfApi && status === '429';
  const names = [isLimitShown ? RATE_LIMIT : [], BY_STATUS[status] ?? []].flat();
  return Object.fromEntries(Object.entries(PIPELINE_HEADERS).filter(([name]) => names.includes(name)));
}

/** A header with a different description stays in its response. */
function share(shared: Headers, response: ResponseObject, headers: Headers): void {
  const shown = Object.entries(headers).map(([name, header]): [string, Headers[string]] => {
    shared[name] ??= header;
    const isShared = JSON.stringify(shared[name]) === JSON.stringify(header);
    return [name, isShared ? { $ref: `#/components/headers/${name}` } : header];
  });
  delete response.headers;
  if (shown.length > 0) {
    response.headers = Object.fromEntries(shown);
  }
}
