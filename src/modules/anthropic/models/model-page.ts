import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { ModelInfo, ModelInfoPage } from './model-info.dto';

const USUAL_LIMIT = 20;
const LARGEST_LIMIT = 1_000;

/** The part of a list that the query parameters select. @throws InvalidParameterError */
export function pageOf(models: readonly ModelInfo[], query: Record<string, unknown>): ModelInfoPage {
  const limit = limitOf(query.limit);
  const after = placeOf(models, 'after_id', query.after_id);
  const before = placeOf(models, 'before_id', query.before_id);
  if (after !== null && before !== null) {
    throw new InvalidParameterError([{ field: 'before_id', reason: 'conflicts' }]);
  }
  const rest = before === null ? models.slice(after === null ? 0 : after + 1) : models.slice(0, before);
  const data = before === null ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function limitOf(text: unknown): number {
  if (text === undefined) {
    return USUAL_LIMIT;
  }
  const limit = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LARGEST_LIMIT) {
    throw new InvalidParameterError([
      { field: 'limit', reason: limit < 1 ? 'too_small' : 'too_large', values: { minimum: 1, maximum: LARGEST_LIMIT } },
    ]);
  }
  return limit;
}

/** The position of a cursor. Null: it is absent. */
function placeOf(models: readonly ModelInfo[], field: string, id: unknown): number | null {
  if (id === undefined) {
    return null;
  }
  const place = models.findIndex((model) => model.id === id);
  if (place === -1) {
    throw new InvalidParameterError([{ field, reason: 'not_offered' }]);
  }
  return place;
}
