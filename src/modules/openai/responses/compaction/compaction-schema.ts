import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { responseRequest } from '../request/response-request-schema';
import { compactionItem, messageItem } from '../wire/response-item';
import { responseUsage } from '../wire/response-schema';

const { model, input, instructions, previous_response_id } = responseRequest.entries;

/** The body of `POST /responses/compact`. Other parameters are ignored. */
export const compactionRequest = v.object({ model, input, instructions, previous_response_id });

/** A compacted conversation. Later requests send its `output` instead of the conversation. */
export const compactedResponse = v.object({
  id: described(v.string(), 'Id of the compaction in the log.', 'resp_2'),
  object: described(v.literal('response.compaction'), 'Always `response.compaction`.'),
  created_at: described(v.pipe(v.number(), v.integer()), 'When the response was created, in Unix seconds.', 1769851800),
  output: described(
    v.array(v.variant('type', [messageItem, compactionItem])),
    'The last user message and the instructions unchanged, and a summary of everything.',
  ),
  usage: described(responseUsage, 'Usage of tokens.'),
});

export type CompactionRequest = v.InferOutput<typeof compactionRequest>;
export type CompactedResponse = v.InferOutput<typeof compactedResponse>;

/** A named schema in the OpenAPI document. */
export const COMPACTED_RESPONSE = namedAnswer('OpenAiCompactedResponse', compactedResponse);
