import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, type ApiResponseSchemaHost } from '@nestjs/swagger';
import * as v from 'valibot';
import { documentSchema } from '../../../common/validation/schemas/documented-schemas';
import { ContextTooLongError, FeatureNotSupportedError } from '../../../integrations/llm/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import {
  GenerationInProgressError,
  IdempotencyConflictError,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from '../../chat/chat.api';
import { QuotaExceededError } from '../../usage/usage.api';
import { ConversationNotFoundError } from '../conversations/conversation.errors';
import { described } from '../described';
import { bodyFaults } from '../errors/openai-errors.decorator';
import { FILE_ERRORS } from '../input/input.errors';
import { ModelNotFoundError, UnsupportedParameterError } from '../openai.errors';
import { inputItem } from './request/input-item-schema';
import { ConflictingParametersError, ItemNotFoundError, PreviousResponseNotFoundError } from './response.errors';

/** For Swagger. */
export const RESPONSE_ID = { name: 'response_id', description: '`resp_` and the id of the reply.' };

/** What making a response may fail with. */
export const CREATION_ERRORS = [
  ...bodyFaults('input'),
  UnsupportedParameterError,
  ConflictingParametersError,
  ...FILE_ERRORS,
  ModelNotFoundError,
  PreviousResponseNotFoundError,
  ConversationNotFoundError,
  ItemNotFoundError,
  AgentInactiveError,
  MembershipRequiredError,
  GenerationInProgressError,
  IdempotencyConflictError,
  ContextTooLongError,
  FeatureNotSupportedError,
  QuotaExceededError,
  TooManyConcurrentError,
  ...REPLY_FAILURES,
];

export const EXAMPLES = {
  text: { value: { model: 'General assistant', input: 'What is worth seeing in Lisbon?' } },
};

const ITEM_EXAMPLE = {
  type: 'message',
  id: 'msg_2',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'The old town.', annotations: [], logprobs: [] }],
};

const RESPONSE_EXAMPLE = {
  id: 'resp_2',
  object: 'response',
  created_at: 1769851800,
  completed_at: 1769851803,
  status: 'completed',
  incomplete_details: null,
  error: null,
  output: [ITEM_EXAMPLE],
  usage: {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 16,
  },
  model: 'General assistant',
  instructions: null,
  previous_response_id: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: null },
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  max_output_tokens: null,
  max_tool_calls: null,
  store: true,
  background: false,
  metadata: {},
  user: null,
  safety_identifier: null,
  prompt_cache_key: null,
  truncation: 'auto',
  top_logprobs: 0,
  service_tier: 'default',
  conversation: { id: 'conv_1' },
};

type Schema = ApiResponseSchemaHost['schema'];

documentSchema('OpenAiInputItem', inputItem);

const ITEM = documentSchema(
  'OpenAiItem',
  described(v.record(v.string(), v.any()), 'An item of Open Responses 2026-04-24.', ITEM_EXAMPLE),
);

const RESPONSE = documentSchema(
  'OpenAiResponse',
  described(
    v.record(v.string(), v.any()),
    'The response object of Open Responses 2026-04-24, with every member that it requires.',
    RESPONSE_EXAMPLE,
  ),
);

const LIST: Schema = {
  type: 'object',
  required: ['object', 'data', 'first_id', 'last_id', 'has_more'],
  properties: {
    object: { type: 'string', enum: ['list'], description: 'Always `list`.' },
    data: { type: 'array', items: ITEM, description: 'The items of the page.' },
    first_id: { type: 'string', nullable: true, description: 'Id of the first one.', example: 'msg_2' },
    last_id: { type: 'string', nullable: true, description: 'Id of the last one.', example: 'msg_2' },
    has_more: { type: 'boolean', description: 'Whether more items follow.', example: false },
  },
};

/** Documents an answer that is a response, or the events of one. */
export const ResponseResponse = (description: string): MethodDecorator =>
  applyDecorators(
    ApiOkResponse({
      description,
      content: {
        'application/json': { schema: RESPONSE },
        'text/event-stream': {
          schema: {
            type: 'string',
            description: 'Numbered events of Open Responses 2026-04-24, then `[DONE]`.',
            example:
              'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{…}}\n\n',
          },
        },
      },
    }),
  );

export const ItemListResponse = (): MethodDecorator => ApiOkResponse({ schema: LIST, description: 'A page of items.' });

export const ItemResponse = (): MethodDecorator => ApiOkResponse({ schema: ITEM, description: 'The item.' });
