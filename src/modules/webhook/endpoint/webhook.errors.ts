import { ApiError } from '../../../common/errors/api-error';

/** The endpoint does not exist or belongs to another user. */
export class WebhookNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'WEBHOOK_NOT_FOUND';
  static readonly summary = 'There is no such webhook, or it belongs to another user.';
}

/** The delivery does not exist or belongs to another endpoint. */
export class DeliveryNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'DELIVERY_NOT_FOUND';
  static readonly summary = 'The webhook has no such delivery. Deliveries are kept for 30 days.';
}

/** The URL leads, or may lead, into the internal network. `details.reason` is the violated rule. */
export class WebhookUrlForbiddenError extends ApiError {
  static readonly status = 422;
  static readonly code = 'WEBHOOK_URL_FORBIDDEN';
  static readonly summary =
    'Events cannot be sent to this URL; `details.reason` names the rule. Use a public HTTPS address without a ' +
    'username.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['field', 'reason'],
    properties: {
      field: { type: 'string', description: 'Always `url`.', example: 'url' },
      reason: { type: 'string', description: 'The rule that the URL breaks.', example: 'address_not_public' },
    },
  };

  static example(): WebhookUrlForbiddenError {
    return new WebhookUrlForbiddenError({ field: 'url', reason: 'address_not_public' });
  }
}
