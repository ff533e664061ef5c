import { And, type FindOperator, LessThanOrEqual, MoreThanOrEqual } from 'typeorm';
import { InvalidParameterError } from '../../common/errors/validation.errors';
import { firstInstantOf, lastInstantOf } from '../../common/validation/times';

/** The period of a query: each end is a UTC day (`YYYY-MM-DD`), an instant (ISO 8601 with its offset), or open. */
export interface TimeQuery {
  from?: string;
  to?: string;
}

/**
 * The condition that a time is between the ends. Both are included: an instant to its millisecond, a day from its first
 * millisecond to its last.
 *
 * @throws InvalidParameterError if from > to
 */
export function inTimeRange({ from, to }: TimeQuery): FindOperator<Date> | undefined {
  const first = from === undefined ? undefined : firstInstantOf(from);
  const last = to === undefined ? undefined : lastInstantOf(to);
  if (first && last && first > last) {
    throw new InvalidParameterError([{ field: 'to', reason: 'conflicts' }]);
  }
  const start = first && MoreThanOrEqual(first);
  const end = last && LessThanOrEqual(last);
  return start && end ? And(start, end) : (start ?? end);
}
