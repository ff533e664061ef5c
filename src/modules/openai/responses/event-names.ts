import type { Request } from 'express';
import type { EventNames } from './wire/response-events';

const NAMES_OF_OPENAI: EventNames = {
  'response.reasoning.delta': 'response.reasoning_text.delta',
  'response.reasoning.done': 'response.reasoning_text.done',
};

/**
 * OpenAI's own packages say their language. `responses.stream()` of them throws at an event that OpenAI does not have, so
 * they are told what a model thinks by OpenAI's names. All others are told by those of the standard.
 */
export function eventNamesFor({ headers }: Pick<Request, 'headers'>): EventNames {
  return headers['x-stainless-lang'] === undefined ? {} : NAMES_OF_OPENAI;
}
