import { ApiError } from '../../../common/errors/api-error';
import type { EntryError } from '../tables/knowledge-entry.entity';

/** The keys of the texts that say why a file could not be read. */
export const ENTRY_FAULTS: Record<EntryError, string> = {
  type_not_supported: 'messages.entry_type_not_supported',
  encoding: 'messages.entry_encoding',
  no_text: 'messages.entry_no_text',
  encrypted: 'messages.entry_encrypted',
  broken: 'messages.entry_broken',
  unsafe: 'messages.entry_unsafe',
  too_much_text: 'messages.entry_too_much_text',
  timeout: 'messages.entry_timeout',
  memory: 'messages.entry_memory',
  storage: 'messages.entry_storage',
  limit: 'messages.entry_limit',
  internal: 'messages.entry_internal',
};

/** The file does not exist, has expired, or the caller may not read it. */
export class UploadedFileNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'FILE_NOT_FOUND';
  static readonly summary = 'There is no such file, or it belongs to another user. Check the id.';

  /** @param field of the body with the id; absent: the id is in the path */
  constructor(field?: string) {
    super(field === undefined ? {} : { field });
  }
}

/** A file in a request, of which models get the text, has none. */
export class FileWithoutTextError extends ApiError {
  static readonly status = 422;
  static readonly code = 'FILE_UNREADABLE';
  static readonly summary = 'The text of the file cannot be read; `error.message` says why. Send another file.';

  static example(): FileWithoutTextError {
    return new FileWithoutTextError('input[0].content[0].file_id', 'no_text', 'scan.pdf');
  }

  constructor(
    field: string,
    private readonly reason: EntryError,
    filename: string,
  ) {
    super({ field, reason }, { messageValues: { filename } });
  }

  override get messageKey(): string {
    return ENTRY_FAULTS[this.reason];
  }
}

/** The file is larger than a file may be. */
export class UploadTooLargeError extends ApiError {
  static readonly status = 413;
  static readonly code = 'FILE_TOO_LARGE';
  static readonly summary = 'The file is too large; nothing was stored. Send a smaller file.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit_bytes'],
    properties: { limit_bytes: { type: 'integer', description: 'Most bytes of a file.', example: 20_971_520 } },
  };

  static example(): UploadTooLargeError {
    return new UploadTooLargeError(20_971_520);
  }

  constructor(limit: number) {
    super({ limit_bytes: limit }, { messageValues: { limit: limit / 1_048_576 } });
  }

  override get messageKey(): string {
    return 'messages.upload_too_large';
  }
}

/** The file has no bytes. */
export class FileEmptyError extends ApiError {
  static readonly status = 422;
  static readonly code = 'FILE_EMPTY';
  static readonly summary = 'The file is empty. Send a file with content.';
}

/** There is no such upload, or it belongs to another user. */
export class UploadNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'UPLOAD_NOT_FOUND';
  static readonly summary = 'There is no upload with this id. Check the id, or create a new upload.';
}

/** The upload was completed or cancelled, or has expired. */
export class UploadEndedError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_UPLOAD_STATE';
  static readonly summary = 'The upload has ended. Create a new upload.';
}
