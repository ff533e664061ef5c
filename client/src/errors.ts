import type { ErrorBody, ErrorDetails } from './generated/failures';
import type { ErrorCode } from './generated/types';

/** The service refused a request, or could not serve it. `message` is a sentence for people, in the caller's language. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
    readonly code: ErrorCode,
    readonly details: Record<string, unknown>,
    /** Seconds until a repetition makes sense. */
    readonly retryAfter: number | null,
    /** Names the request in the log of the service. */
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

/** No answer came, or it broke off: offline, reset, or nobody listens. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';

  constructor(cause: unknown) {
    super('The service cannot be reached.', { cause });
  }
}

/** The service was silent for longer than the time-out. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';

  constructor() {
    super(new Error('Nothing came in time.'));
  }
}

/** Whether it is a failure that the service named, with one of these codes if there are any. */
export function isApiError<Code extends ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is ApiError & { code: Code; details: ErrorDetails[Code] } {
  return error instanceof ApiError && (codes.length === 0 || (codes as ErrorCode[]).includes(error.code));
}

/** Reads an answer other than 2xx. One that is not of the service comes from a proxy that did not reach it. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = {
    code: 'SERVICE_UNAVAILABLE' as const,
    message: `${status} ${statusText}`,
    details: {},
    ...body?.error,
  };
  // Seconds, or a time as proxies may give it.
  const after = headers.get('retry-after') ?? '';
  const retryAfter = Math.max(0, Number(after) || Math.ceil((Date.parse(after) - Date.now()) / 1_000)) || null;
  return new ApiError(error.message, status, error.code, error.details, retryAfter, headers.get('x-request-id'));
}
