interface ApiErrorStatics {
  /** HTTP status. */
  readonly status: number;
  /** Stable code on the wire; never changes once published. */
  readonly code: string;
  /** One English sentence: what happened and what to do. Swagger shows it; callers get the localized text. */
  readonly summary: string;
  /** The JSON Schema of `details`, if callers can rely on more than the code. */
  readonly detailsSchema?: object;
}

/**
 * A class of failures that a caller can see. Its static members are the documentation, and its instances are thrown.
 * Swagger's example is an instance too, created without arguments or by the static `example()` of the class.
 */
export type ApiErrorClass = ApiErrorStatics &
  ((new () => ApiError) | ({ example(): ApiError } & (new (...parameters: never[]) => ApiError)));

export interface ApiErrorOptions {
  /** The technical cause; goes to the log, never to the caller. */
  cause?: unknown;
  /** Seconds after which a retry makes sense: `error.retry_after` and the header `Retry-After`. */
  retryAfterSeconds?: number;
  /** False if the code that throws the error logs it itself. Otherwise the filter logs every fault of the service. */
  isLogged?: boolean;
  /** Values for the placeholders of the localized message, in addition to `details`. */
  messageValues?: Record<string, string | number>;
}

/**
 * Base of every failure that a caller can cause or must know about. Start here: `toApiError` turns other errors into
 * one, `errorBody` renders it, `ErrorEnvelopeFilter` sends it, and `@ApiErrors()` documents it.
 *
 * Subclasses set the statics `status`, `code` and `summary` and live in `<feature>.errors.ts`; each code has a message
 * in every language of the catalogue. A subclass whose constructor needs arguments has a static `example()`, which
 * Swagger shows.
 *
 * @example
 * export class ChatNotFoundError extends ApiError {
 *   static readonly status = 404;
 *   static readonly code = 'CHAT_NOT_FOUND';
 *   static readonly summary = 'The conversation does not exist, or belongs to another user.';
 * }
 */
export abstract class ApiError extends Error {
  constructor(
    readonly details: Record<string, unknown> = {},
    readonly options: ApiErrorOptions = {},
  ) {
    super(undefined, { cause: options.cause });
    const { code, summary } = this.constructor as unknown as ApiErrorStatics;
    this.name = this.constructor.name;
    this.message = `${code}: ${summary}`;
  }

  get code(): string {
    return (this.constructor as unknown as ApiErrorStatics).code;
  }

  /** A message that is shown instead of the catalogue's. Undefined: the catalogue's message is shown. */
  get sentence(): string | undefined {
    return undefined;
  }

  /** The key of the localized message in the catalogue. */
  get messageKey(): string {
    return `errors.${this.code}`;
  }

  get status(): number {
    return (this.constructor as unknown as ApiErrorStatics).status;
  }

  get retryAfterSeconds(): number | undefined {
    return this.options.retryAfterSeconds;
  }
}

/** A failure that a route can return: its class, or an instance if the route adds its own details. */
export type DocumentedFailure = ApiErrorClass | ApiError;
