import { ApiError } from './api-error';

/** Base of failures that one field of the request has alone: `details.field` names it. */
export abstract class FieldError extends ApiError {
  /** @param field as `messages[0].content[1].image_url.url` */
  constructor(field: string) {
    super({ field });
  }
}
