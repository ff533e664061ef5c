import { ApiError } from '../../../common/errors/api-error';

/**
 * The user has no such response: it never existed, was not stored or was deleted, or its conversation is in the trash.
 */
export class ResponseNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'RESPONSE_NOT_FOUND';
  static readonly summary = 'There is no response with this id, or it was not stored.';

  static example(): ResponseNotFoundError {
    return new ResponseNotFoundError('resp_7');
  }

  constructor(id: string) {
    super({ field: 'response_id' }, { messageValues: { id } });
  }
}

/** The response to continue does not exist for this user. */
export class PreviousResponseNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PREVIOUS_RESPONSE_NOT_FOUND';
  static readonly summary =
    'There is no response with the id in `previous_response_id`. Send the whole input without it.';

  static example(): PreviousResponseNotFoundError {
    return new PreviousResponseNotFoundError('resp_7');
  }

  constructor(id: string) {
    super({ field: 'previous_response_id' }, { messageValues: { id } });
  }
}

/** The user has no such item. */
export class ItemNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'ITEM_NOT_FOUND';
  static readonly summary = 'There is no item with this id.';

  static example(): ItemNotFoundError {
    return new ItemNotFoundError('msg_7', 'input[0].id');
  }

  /** @param field the parameter with the ID */
  constructor(id: string, field: string) {
    super({ field }, { messageValues: { id } });
  }
}

/** Only a background response can be cancelled. Others that are not stored stop when their connection closes. */
export class NotInBackgroundError extends ApiError {
  static readonly status = 400;
  static readonly code = 'NOT_IN_BACKGROUND';
  static readonly summary = 'Only a response created with `background: true` can be cancelled.';
}

/** A response continues either a conversation or another response. */
export class ConflictingParametersError extends ApiError {
  static readonly status = 400;
  static readonly code = 'CONFLICTING_PARAMETERS';
  static readonly summary = 'Two parameters exclude each other. `error.param` names one of them; omit it.';

  static example(): ConflictingParametersError {
    return new ConflictingParametersError('conversation', 'previous_response_id');
  }

  constructor(field: string, other: string) {
    super({ field }, { messageValues: { other } });
  }
}
