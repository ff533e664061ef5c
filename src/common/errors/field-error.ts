import { ApiError } from './api-error';

/** Base of failures that concern one field of the request, which `details.field` names. */
export abstract class FieldError extends ApiError {
  /** @param field such as `messages[0].content[1].image_url.url` */
  constructor(field: string) {
    super({ field });
  }
}
