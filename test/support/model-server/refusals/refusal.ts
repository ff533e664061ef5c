import type { ModelRefusal } from '../model-server';

type When = ModelRefusal['when'];

/** A refusal as JSON; the other files in this folder have those of real providers, in their original shape and text. */
export function refusal(when: When, status: number, body: unknown): ModelRefusal {
  return { when, status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function anthropicRefusal(when: When, message: string): ModelRefusal {
  const error = { type: 'invalid_request_error', message };
  return refusal(when, 400, { type: 'error', error, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' });
}
