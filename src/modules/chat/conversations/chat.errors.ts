import { ApiError } from '../../../common/errors/api-error';

/** The conversation does not exist, was deleted, or belongs to another user. */
export class ChatNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'CHAT_NOT_FOUND';
  static readonly summary = 'There is no such conversation, or it belongs to another user. `GET /chat` lists yours.';
}

/** The conversation has no such message. */
export class MessageNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MESSAGE_NOT_FOUND';
  static readonly summary =
    'There is no such message in this conversation. `GET /chat/{chat_id}/messages` lists its messages.';
}

/** The file does not exist in the message or among the user's files, or its bytes are lost. */
export class FileNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'FILE_NOT_FOUND';
  static readonly summary = 'There is no such file. The parts of your messages contain the `hash` of each file.';

  /** @param field the body field with the hash */
  constructor(field?: string) {
    super(field === undefined ? {} : { field });
  }
}

/** A reply is already running in the conversation; `details.message_id` is its ID. */
export class GenerationInProgressError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GENERATION_IN_PROGRESS';
  static readonly summary = 'A reply is running in this conversation. Wait for it, join it or stop it.';
  static readonly detailsSchema = {
    type: 'object',
    properties: { message_id: { type: 'integer', description: 'Id of the reply, if it is known.', example: 2 } },
  };

  static example(): GenerationInProgressError {
    return new GenerationInProgressError(2);
  }

  constructor(readonly messageId: number | null) {
    super(messageId === null ? {} : { message_id: messageId });
  }
}
