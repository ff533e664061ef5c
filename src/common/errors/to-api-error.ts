import { STATUS_CODES } from 'node:http';
import { HttpException, HttpStatus } from '@nestjs/common';
import { isTranslated } from '../i18n/translator';
import { parameterOf } from '../validation/failed-parameters';
import { ApiError } from './api-error';
import {
  InternalError,
  InvalidJsonError,
  MethodNotAllowedError,
  NotAcceptableError,
  NotFoundError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
} from './common.errors';
import { databaseRefusal } from './database-refusal';
import { type FieldFault, InvalidParameterError, ValidationFailedError } from './validation.errors';

/**
 * The failure that a caller sees for a thrown value. It has no side effects. Unknown values become an `InternalError`.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  if (error instanceof HttpException) {
    return fromHttpException(error);
  }
  const candidate = error as { status?: unknown; type?: unknown } | null;
  // Express's body parsers throw plain errors with a status.
  if (typeof candidate?.type === 'string' && typeof candidate.status === 'number') {
    return fromStatus(candidate.status, error);
  }
  if (isDatabaseError(error) && databaseRefusal(error) !== null) {
    return new ServiceUnavailableError(error);
  }
  if (isSearchLimit(error)) {
    return new InvalidParameterError([{ field: 'q', reason: 'too_slow_to_find' }]);
  }
  return new InternalError({}, { cause: error });
}

/**
 * MySQL limits the work of one regular expression. A search for 95 times `ss` in 60,000 times `s` exceeds the limit.
 */
function isSearchLimit(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ER_REGEXP_TIME_OUT' || code === 'ER_REGEXP_STACK_OVERFLOW';
}

function fromStatus(status: number, cause: unknown): ApiError {
  switch (status) {
    case 400:
      return new InvalidJsonError({}, { cause });
    case 404:
      return new NotFoundError({}, { cause });
    case 405:
      return new MethodNotAllowedError({}, { cause });
    case 406:
      return new NotAcceptableError({}, { cause });
    case 413:
      return new PayloadTooLargeError({}, { cause });
    case 415:
      return new UnsupportedMediaTypeError({}, { cause });
    case 503:
      return new ServiceUnavailableError(cause);
    default:
      return new InternalError({}, { cause });
  }
}

/** A full disk of this machine counts too, because it has files and the log of SQLite. */
const OWN_CODES = /^(DATABASE_UNAVAILABLE|SQLITE_\w+|ENOSPC|EDQUOT)$/;

function isDatabaseError(error: unknown): boolean {
  const { driverError, fatal, sqlState, code } = (error ?? {}) as Record<string, unknown>;
  const isOfDriver = [driverError, fatal, sqlState].some((part) => part !== undefined);
  return isOfDriver || OWN_CODES.test(String(code));
}

/** Codes that this API has for a status. All other statuses have their name as code. */
const CODES: Record<number, string> = { 429: 'RATE_LIMIT_EXCEEDED', 503: ServiceUnavailableError.code };

/** Waiting time of a 429, which always has one. */
const RETRY_SECONDS = 5;

/** Messages of Nest itself: a guard returned false, a pipe refused its value, no route matched. */
const NEST_MESSAGE =
  /^(Forbidden resource|Validation failed \(.*\)|The value passed as UUID is not a string|(\[\d+\] )?item must be a .*|Cannot [A-Z]+ \/.*)$/;

/** The path with which class-validator's messages start, such as `items.0.name` of `items.0.name must be a string`. */
const NAMED_FIELD = /^(?:each value in |property )?([\w$]+(?:\.[\w$]+)*) /;

/** The response body of an exception, in Nest's form or in that of the module. */
interface ExceptionBody {
  message?: unknown;
  error?: unknown;
  statusCode?: unknown;
}

/** An exception of Nest: it keeps its status and its message. */
class HttpFailure extends ApiError {
  constructor(
    private readonly exception: HttpException,
    details: Record<string, unknown>,
    private readonly text: string,
  ) {
    super(details, { cause: exception, retryAfterSeconds: exception.getStatus() === 429 ? RETRY_SECONDS : undefined });
    this.message = `${this.code}: ${text}`;
  }

  /** Nest's own texts are English, so the catalogue's come first. */
  override get sentence(): string | undefined {
    return isOfNest(this.exception, this.text) && isTranslated(this.messageKey) ? undefined : this.text;
  }

  override get code(): string {
    return CODES[this.status] ?? HttpStatus[this.status] ?? `HTTP_${this.status}`;
  }

  override get status(): number {
    return this.exception.getStatus();
  }
}

/** The failure that a caller gets for an exception of Nest. */
function fromHttpException(exception: HttpException): ApiError {
  const status = exception.getStatus();
  // What a module reports as 500 may be the message of a driver.
  if (status === 500 || status < 400 || status > 599) {
    return new InternalError({}, { cause: exception });
  }
  const parts = partsOf(exception.getResponse());
  const [first, ...others] = faultsOf(exception, parts);
  if (first !== undefined) {
    const isOfBody = status === 422 || parameterOf(exception)?.type === 'body';
    return new (isOfBody ? ValidationFailedError : InvalidParameterError)([first, ...others]);
  }
  const text = parts.messages.join(' ') || exception.message;
  return status === 404 && isOfNest(exception, text)
    ? new NotFoundError({}, { cause: exception })
    : new HttpFailure(exception, parts.details, text);
}

/** What the body of an exception has for the envelope. */
interface BodyParts {
  messages: string[];
  /** Whether the messages are a list, as a validator writes them. */
  isList: boolean;
  details: Record<string, unknown>;
}

function partsOf(body: unknown): BodyParts {
  if (typeof body !== 'object' || body === null) {
    return { messages: typeof body === 'string' ? [body] : [], isList: false, details: {} };
  }
  const { message, error, statusCode, ...others } = body as ExceptionBody;
  const messages = message === undefined ? [] : [message].flat();
  const areTexts = messages.every((text) => typeof text === 'string');
  // In Nest's form, `error` is the name of the status.
  const hasOwnError = error !== undefined && (statusCode === undefined || typeof error !== 'string');
  return {
    messages: areTexts ? messages : [],
    isList: Array.isArray(message),
    details: { ...others, ...(hasOwnError && { error }), ...(!areTexts && { messages }) },
  };
}

/** The fields that an exception is about: the parameter of the pipe that threw it, or those that a validator names. */
function faultsOf(exception: HttpException, { messages, isList }: BodyParts): FieldFault[] {
  const status = exception.getStatus();
  const parameter = parameterOf(exception);
  if (parameter !== undefined && status === 400) {
    const [message] = messages;
    const isOwn = message !== undefined && !isOfNest(exception, message);
    return [{ field: parameter.name, reason: reasonOf(parameter.value, message), ...(isOwn && { message }) }];
  }
  if (!isList || (status !== 400 && status !== 422)) {
    return [];
  }
  return messages.flatMap((message) => {
    const field = NAMED_FIELD.exec(message)?.[1];
    return field === undefined ? [] : [{ field, reason: 'invalid_format', message }];
  });
}

/** The broken rule. Nest's pipes name it only in their messages. */
function reasonOf(value: unknown, message = ''): string {
  if (value === undefined || value === null || value === '') {
    return 'required';
  }
  if (message.includes('enum string')) {
    return 'not_allowed';
  }
  return message.includes('invalid date') ? 'invalid_date' : 'invalid_format';
}

/** Whether Nest wrote the message, and not the module. */
function isOfNest(exception: HttpException, message: string): boolean {
  return message === STATUS_CODES[exception.getStatus()] || NEST_MESSAGE.test(message);
}
