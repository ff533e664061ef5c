interface ApiErrorStatics {
  /** HTTP status. */
  readonly status: number;
  /** Stable code on the wire; never changes once published. */
  readonly code: string;
  /** One English sentence: what happened and what to do. Swagger shows it; callers get the localized text. */
  readonly summary: string;
}

/**
 * A failure that a caller can see, as a class: its statics are the documentation, its instances are thrown. Swagger's
 * example is an instance too: one made without arguments, or what the static `example()` of the class gives.
 */
export type ApiErrorClass = ApiErrorStatics &
  ((new () => ApiError) | ({ example(): ApiError } & (new (...parameters: never[]) => ApiError)));

export interface ApiErrorOptions {
  /** What happened underneath; goes to the log, never to the caller. */
  cause?: unknown;
  /** Seconds until a repetition makes sense: `error.retry_after` and the header `Retry-After`. */
  retryAfterSeconds?: number;
  /** False where whoever throws it sees to the log, although it is a fault of ours. */
  isLogged?: boolean;
  /** Values for the placeholders of the localized message, in addition to `details`. */
  messageValues?: Record<string, string | number>;
}

/**
 * Base of every failure a caller can cause or must know of. Subclasses set the statics `status`, `code` and `summary`
 * and live in `<feature>.errors.ts`; each code has a message in every language of the catalogue. One whose constructor
 * needs arguments has a static `example()`, whose body is shown in Swagger.
 *
 * @example
 * export class ChatNotFoundError extends ApiError {
 *   static readonly status = 404;
 *   static readonly code = 'CHAT_NOT_FOUND';
 *   static readonly summary = 'No such conversation, or it belongs to somebody else.';
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

  /** The sentence for callers, in the catalogue of each language. */
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
