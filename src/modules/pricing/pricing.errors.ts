import { ApiError } from '../../common/errors/api-error';

/** There is no such price. */
export class PriceNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PRICE_NOT_FOUND';
  static readonly summary = 'There is no price with this id.';
}

/** Something was paid for with it already. */
export class PriceInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PRICE_IN_USE';
  static readonly summary =
    'Costs were reckoned with this price already, so it stays. Add another one that is valid from now on.';
}
