import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { outputItem } from './response-item';
import { responseSettings } from './response-settings';

const count = v.pipe(v.number(), v.integer());
const unixSeconds = v.pipe(v.number(), v.integer());

const responseStatus = v.picklist(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']);

const responseError = v.object({
  code: described(v.string(), 'Stable error code. Use it to tell errors apart.', 'PROVIDER_TIMEOUT'),
  message: described(v.string(), "A sentence in the caller's language.", 'The AI model took too long to answer.'),
});

export const responseUsage = v.object({
  input_tokens: described(count, 'Including cached tokens.', 12),
  input_tokens_details: described(
    v.object({
      cached_tokens: count,
      cache_write_tokens: described(count, 'Tokens that the provider wrote to its cache.', 0),
    }),
    'Details of these tokens.',
    { cached_tokens: 0, cache_write_tokens: 0 },
  ),
  output_tokens: described(count, 'Including reasoning tokens.', 4),
  output_tokens_details: described(v.object({ reasoning_tokens: count }), 'Details of these tokens.', {
    reasoning_tokens: 0,
  }),
  total_tokens: described(count, 'Total of both.', 16),
  cost: described(
    v.optional(v.nullable(v.number())),
    'Exact cost in the currency of the service; null if the model has no price. Absent if costs are hidden.',
    0.001234567,
  ),
});

/** The response object of Open Responses 2026-04-24. Every field is always present. */
export const responseResource = v.object({
  ...responseSettings.entries,
  id: described(v.string(), '`resp_` and the id of the reply.', 'resp_2'),
  object: described(v.literal('response'), 'Always `response`.'),
  created_at: described(unixSeconds, 'When the response was created, in Unix seconds.', 1769851800),
  completed_at: described(v.nullable(unixSeconds), 'When the response was completed, in Unix seconds.', 1769851803),
  status: described(responseStatus, 'Current status.'),
  incomplete_details: described(
    v.nullable(v.object({ reason: v.string() })),
    'Reason if incomplete: `max_output_tokens`, `content_filter` or `cancelled`.',
  ),
  error: described(v.nullable(responseError), 'Reason of the failure.'),
  output: described(v.array(outputItem), 'Output of the model so far.'),
  usage: described(v.nullable(responseUsage), 'Null until the response has ended.'),
  truncation: described(
    v.picklist(['auto', 'disabled']),
    '`auto`: the oldest messages of long conversations are removed. `disabled`: long conversations fail.',
    'auto',
  ),
  top_logprobs: described(v.literal(0), 'Always 0.'),
  service_tier: described(v.literal('default'), 'Always `default`.'),
  conversation: described(v.nullable(v.object({ id: v.string() })), 'Null for a response that is not stored.'),
});

export type ResponseResource = v.InferOutput<typeof responseResource>;
export type ResponseStatus = v.InferOutput<typeof responseStatus>;
export type ResponseUsage = v.InferOutput<typeof responseUsage>;
