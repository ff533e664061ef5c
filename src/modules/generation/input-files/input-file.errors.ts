import { ApiError } from '../../../common/errors/api-error';
import { FieldError } from '../../../common/errors/field-error';

const EXAMPLE_FIELD = 'messages[0].content[1].image_url.url';

/** One image or file is larger than the limit. */
export class FileTooLargeError extends ApiError {
  static readonly status = 422;
  static readonly code = 'FILE_TOO_LARGE';
  static readonly summary = 'An image or file is too large. `details.limit_bytes` is the maximum size.';

  static example(): FileTooLargeError {
    return new FileTooLargeError(EXAMPLE_FIELD, 10_485_760);
  }

  constructor(field: string, limitBytes: number) {
    super({ field, limit_bytes: limitBytes }, { messageValues: { limit: limitBytes / 1_048_576 } });
  }
}

/** The images and files of a request are too many, or together too large. */
export class TooManyFilesError extends ApiError {
  static readonly status = 422;
  static readonly code = 'TOO_MANY_FILES';
  static readonly summary =
    'The images and files of the request are too many, or too large in total. Send fewer or smaller ones.';

  static example(): TooManyFilesError {
    return new TooManyFilesError(EXAMPLE_FIELD, { limit: 20, limit_bytes: 20_971_520 });
  }

  /** @param field the first one beyond the limit */
  constructor(field: string, limits: { limit: number; limit_bytes: number }) {
    super({ field, ...limits }, { messageValues: { megabytes: limits.limit_bytes / 1_048_576 } });
  }
}

/** Models do not accept this type of content. */
export class FileTypeNotSupportedError extends FieldError {
  static readonly status = 422;
  static readonly code = 'FILE_TYPE_NOT_SUPPORTED';
  static readonly summary =
    'The file type is not supported. Send PNG, JPEG, GIF or WebP images, PDF files, or text in UTF-8.';

  static example(): FileTypeNotSupportedError {
    return new FileTypeNotSupportedError(EXAMPLE_FIELD);
  }
}

/**
 * Why the content could not be read. `malformed`: neither a data URL in base64 nor an http(s) URL. `status`: the server
 * responded with a status other than 200. The others are faults of the connection.
 */
export type UnreadableReason =
  | 'malformed'
  | 'empty'
  | 'status'
  | 'timeout'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'connection_closed'
  | 'tls_failed'
  | 'invalid_response'
  | 'aborted';

/** The URL returns no content. */
export class FileUnreadableError extends ApiError {
  static readonly status = 422;
  static readonly code = 'FILE_UNREADABLE';
  static readonly summary =
    'The URL of an image or file cannot be read; `details.reason` says why. Send a base64 data URL, or an ' +
    'HTTP(S) URL that returns 200 within 10 seconds.';

  static example(): FileUnreadableError {
    return new FileUnreadableError(EXAMPLE_FIELD, 'status', 404);
  }

  /** @param status of the server's response */
  constructor(field: string, reason: UnreadableReason, status?: number) {
    super({ field, reason, ...(status !== undefined && { status }) });
  }
}

/** The URL refers to an internal network, or has a scheme that is not allowed. Nothing was fetched. */
export class FileUrlForbiddenError extends FieldError {
  static readonly status = 422;
  static readonly code = 'FILE_URL_FORBIDDEN';
  static readonly summary =
    'The URL of an image or file must have a public host and, in production, use HTTPS. Nothing was fetched.';

  static example(): FileUrlForbiddenError {
    return new FileUrlForbiddenError(EXAMPLE_FIELD);
  }
}

/** Errors for the API document. */
export const FILE_ERRORS = [
  FileTooLargeError,
  TooManyFilesError,
  FileTypeNotSupportedError,
  FileUnreadableError,
  FileUrlForbiddenError,
];
