import { ApiError } from '../../common/errors/api-error';
import { FieldError } from '../../common/errors/field-error';

/** No model has this name, or the caller may not use it. */
export class UnknownModelError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MODEL_NOT_FOUND';
  static readonly summary = 'No model with this name is available. `GET /anthropic/v1/models` lists available models.';

  static example(): UnknownModelError {
    return new UnknownModelError('claude-unknown');
  }

  constructor(readonly model: string) {
    super({ field: 'model' }, { messageValues: { model } });
  }
}

/** The request uses a feature of the provider whose state all users of the service would share. */
export class SharedFeatureError extends FieldError {
  static readonly status = 400;
  static readonly code = 'ANTHROPIC_FEATURE_DISABLED';
  static readonly summary =
    'The field uses state that the provider keeps for the whole organization. Omit it, or ask an administrator to ' +
    'enable the feature for the provider.';

  static example(): SharedFeatureError {
    return new SharedFeatureError('container');
  }
}

/** The request continues a conversation that the provider would store. */
export class ThreadUnsupportedError extends FieldError {
  static readonly status = 400;
  static readonly code = 'THREAD_UNSUPPORTED_REQUEST';
  static readonly summary = 'Conversations are not stored here. Omit `thread`, and send the whole conversation.';

  static example(): ThreadUnsupportedError {
    return new ThreadUnsupportedError('thread');
  }
}

/** The body has two members of the same name, of which another parser might read the other one. */
export class DuplicateFieldError extends FieldError {
  static readonly status = 400;
  static readonly code = 'DUPLICATE_FIELD';
  static readonly summary = 'The body contains the field twice. Send it once.';

  static example(): DuplicateFieldError {
    return new DuplicateFieldError('model');
  }
}
