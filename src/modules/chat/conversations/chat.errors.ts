import { ApiError } from '../../../common/errors/api-error';

/** This caller has no such conversation: it never existed, was deleted, or belongs to somebody else. */
export class ChatNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'CHAT_NOT_FOUND';
  static readonly summary = 'There is no such conversation, or it belongs to another user. `GET /chat` lists yours.';
}

/** No such message in this conversation. */
export class MessageNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MESSAGE_NOT_FOUND';
  static readonly summary =
    'There is no such message in this conversation. `GET /chat/{chat_id}/messages` lists its messages.';
}

/** No such image or file in this message, or in any of the user's, or its bytes are lost. */
export class FileNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'FILE_NOT_FOUND';
  static readonly summary = 'There is no such file. The parts of your messages contain the `hash` of each file.';

  /** @param field where a body names it */
  constructor(field?: string) {
    super(field === undefined ? {} : { field });
  }
}

/** A reply is already being written in the conversation; `details.message_id` names it. */
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
