import type { ErrorBody, ErrorDetails } from './generated/failures';
import type { ErrorCode } from './generated/types';

/** The service refused a request or could not process it. `message` is readable text in the caller's language. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
    readonly code: ErrorCode,
    readonly details: Record<string, unknown>,
    /** Seconds to wait before a retry. */
    readonly retryAfter: number | null,
    /** Identifies the request in the service's log. */
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

/**
 * There was no response, or it was incomplete: the client is offline, the connection was reset, or the service does not
 * listen.
 */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';

  constructor(cause: unknown) {
    super('The service cannot be reached.', { cause });
  }
}

/** The service sent no data within the timeout. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';

  constructor() {
    super(new Error('Nothing came in time.'));
  }
}

/** Whether the error is a failure from the service, optionally with one of these codes. */
export function isApiError<Code extends ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is ApiError & { code: Code; details: ErrorDetails[Code] } {
  return error instanceof ApiError && (codes.length === 0 || (codes as ErrorCode[]).includes(error.code));
}

/**
 * Reads a response other than 2xx. If it is not from the service, a proxy sent it because it could not reach the
 * service.
 */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = {
    code: 'SERVICE_UNAVAILABLE' as const,
    message: `${status} ${statusText}`,
    details: {},
    ...body?.error,
  };
  // Seconds, or a date as some proxies send it.
  const after = headers.get('retry-after') ?? '';
  const retryAfter = Math.max(0, Number(after) || Math.ceil((Date.parse(after) - Date.now()) / 1_000)) || null;
  return new ApiError(error.message, status, error.code, error.details, retryAfter, headers.get('x-request-id'));
}
