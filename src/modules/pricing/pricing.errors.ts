import { ApiError } from '../../common/errors/api-error';

/** The price does not exist. */
export class PriceNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PRICE_NOT_FOUND';
  static readonly summary = 'There is no price with this id.';
}

/** A request has used the price. */
export class PriceInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PRICE_IN_USE';
  static readonly summary =
    'A request has used this price, so it cannot be deleted. Add another price that is valid from now on.';
}
