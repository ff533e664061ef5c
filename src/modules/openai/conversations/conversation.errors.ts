import { ApiError } from '../../../common/errors/api-error';

/** The user has no such conversation, or it is in the trash. */
export class ConversationNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'CONVERSATION_NOT_FOUND';
  static readonly summary = 'There is no conversation with this id.';

  static example(): ConversationNotFoundError {
    return new ConversationNotFoundError('conv_7');
  }

  /** @param field the parameter with the ID */
  constructor(id: string, field = 'conversation_id') {
    super({ field }, { messageValues: { id } });
  }
}

/** Single items cannot be deleted, because the messages after an item refer to it. */
export class ItemNotDeletableError extends ApiError {
  static readonly status = 400;
  static readonly code = 'ITEM_NOT_DELETABLE';
  static readonly summary =
    'Single items cannot be deleted, because later items depend on them. Delete the conversation.';
}
