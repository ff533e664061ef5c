import { ApiOkResponse, type ApiResponseSchemaHost } from '@nestjs/swagger';
import { type ObjectSchema, variant } from 'valibot';
import { ServiceOverloadedError } from '../../../common/errors/common.errors';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { shownStream } from '../../../common/http/event-stream-example';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { ScopeRequiredError } from '../../../common/security/security.errors';
import { described } from '../../../common/validation/schemas/described';
import { namedAnswer, namedSchema, referenceTo } from '../../../common/validation/schemas/named-schema';
import { ContextTooLongError, FeatureNotSupportedError } from '../../../integrations/llm/port/llm.errors';
import { AgentInactiveError, MembershipRequiredError } from '../../agent/agent.api';
import { GenerationInProgressError } from '../../chat/chat.api';
import {
  DECISION_FAILURES,
  IdempotencyConflictError,
  REPLY_FAILURES,
  TooManyConcurrentError,
} from '../../generation/generation.api';
import { KnowledgeExpiredError, KnowledgeNotFoundError, REQUEST_FILE_ERRORS } from '../../knowledge/knowledge.api';
import { QuotaExceededError, StorageQuotaExceededError } from '../../usage/usage.api';
import { ConversationNotFoundError } from '../conversations/conversation.errors';
import { bodyFaults } from '../errors/openai-errors.decorator';
import { ModelNotFoundError, ServerToolsUnavailableError, UnsupportedParameterError } from '../openai.errors';
import { inputText, responseUserContent } from './request/content-schema';
import { inputItem } from './request/input-item-schema';
import { ConflictingParametersError, ItemNotFoundError, PreviousResponseNotFoundError } from './response.errors';
import { EXAMPLE_EVENTS, EXAMPLE_STREAM } from './response-examples';
import { contentPart, EVENT_PLACES, RESPONSE_EVENTS } from './wire/response-events';
import {
  approvalRequestItem,
  approvalResponseItem,
  compactionItem,
  customCallItem,
  customCallOutputItem,
  fileSearchItem,
  functionCallItem,
  functionCallOutputItem,
  inputPart,
  listedToolsItem,
  mcpCallItem,
  messageItem,
  outputItem,
  outputTextPart,
  reasoningItem,
  reasoningTextPart,
  responseItem,
  summaryTextPart,
} from './wire/response-item';
import { responseResource, responseUsage } from './wire/response-schema';
import { LONGEST_WIRE_ID } from './wire/wire-ids';

/** A path parameter in the OpenAPI document. */
export const RESPONSE_ID = {
  name: 'response_id',
  description: '`resp_` and the id of the reply; `resp_7_1` continues after its first decision.',
  schema: { type: 'string' as const, maxLength: LONGEST_WIRE_ID },
};

/** The errors of creating a response. */
export const CREATION_ERRORS = [
  ...bodyFaults('input'),
  UnsupportedParameterError,
  ConflictingParametersError,
  ...REQUEST_FILE_ERRORS,
  ScopeRequiredError,
  ...DECISION_FAILURES,
  ModelNotFoundError,
  KnowledgeNotFoundError,
  KnowledgeExpiredError,
  ServerToolsUnavailableError,
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
  StorageQuotaExceededError,
  BudgetExceededError,
  ContentBlockedError,
  GuardUnavailableError,
  TooManyConcurrentError,
  ServiceOverloadedError,
  ...REPLY_FAILURES,
];

export const EXAMPLES = {
  text: { value: { model: 'General assistant', input: 'What is worth seeing in Lisbon?' } },
};

type Schema = ApiResponseSchemaHost['schema'];

const ITEM = namedAnswer('OpenAiItem', responseItem);

const RESPONSE = namedAnswer('OpenAiResponse', responseResource);

const EVENT = namedAnswer(
  'OpenAiResponseEvent',
  described(
    variant('type', Object.values(RESPONSE_EVENTS) as [ObjectSchema<never, undefined>]),
    'The data of an event of Open Responses 2026-04-24, distinguished by `type`. Events have no `id:`; join a ' +
      'stream again with `starting_after` and the `sequence_number`. The last event is `data: [DONE]`.',
  ),
);

/** The named schemas of requests, responses and events. */
export const RESPONSE_SCHEMAS = [
  namedSchema('OpenAiInputItem', inputItem),
  namedSchema('OpenAiInputText', inputText),
  namedSchema('OpenAiInputContent', responseUserContent),
  namedAnswer('OpenAiResponseUsage', responseUsage),
  namedAnswer('OpenAiOutputText', outputTextPart),
  namedAnswer('OpenAiReasoningText', reasoningTextPart),
  namedAnswer('OpenAiSummaryText', summaryTextPart),
  namedAnswer('OpenAiInputPart', inputPart),
  namedAnswer('OpenAiMessage', messageItem),
  namedAnswer('OpenAiFunctionCall', functionCallItem),
  namedAnswer('OpenAiFunctionCallOutput', functionCallOutputItem),
  namedAnswer('OpenAiCustomToolCall', customCallItem),
  namedAnswer('OpenAiCustomToolCallOutput', customCallOutputItem),
  namedAnswer('OpenAiCompaction', compactionItem),
  namedAnswer('OpenAiReasoning', reasoningItem),
  namedAnswer('OpenAiMcpApprovalRequest', approvalRequestItem),
  namedAnswer('OpenAiMcpApprovalResponse', approvalResponseItem),
  namedAnswer('OpenAiMcpCall', mcpCallItem),
  namedAnswer('OpenAiFileSearchCall', fileSearchItem),
  namedAnswer('OpenAiMcpListTools', listedToolsItem),
  namedAnswer('OpenAiOutputItem', outputItem),
  namedAnswer('OpenAiContentPart', contentPart),
  ITEM,
  RESPONSE,
  ...Object.entries({ ...EVENT_PLACES, ...RESPONSE_EVENTS }).map(([name, event]) => namedAnswer(name, event)),
  EVENT,
];

const LIST: Schema = {
  type: 'object',
  required: ['object', 'data', 'first_id', 'last_id', 'has_more'],
  properties: {
    object: { type: 'string', enum: ['list'], description: 'Always `list`.' },
    data: { type: 'array', items: referenceTo(ITEM), description: 'The items of the page.' },
    first_id: { type: 'string', nullable: true, description: 'Id of the first item.', example: 'msg_2' },
    last_id: { type: 'string', nullable: true, description: 'Id of the last item.', example: 'msg_2' },
    has_more: { type: 'boolean', description: 'Whether more items follow.', example: false },
  },
};

/** Describes a response object as the response body. */
export const ResponseResponse = (): MethodDecorator => ApiOkResponse({ schema: referenceTo(RESPONSE) });

/** The stream without its first two events and the last one, each of which contains a whole response. */
const STREAM_DESCRIPTION = [
  'The current response, or with `stream` its events. `response.created` and `response.in_progress` come first, then:',
  shownStream(EXAMPLE_STREAM.split('\n\n').slice(2, -3).join('\n\n')),
  'and at last `response.completed`.',
].join('\n\n');

/** Describes a response object or its events as the response body. */
export const StreamedResponse = (): MethodDecorator =>
  ApiOkResponse({
    description: STREAM_DESCRIPTION,
    content: {
      // Its example is in `response.completed`.
      'application/json': { schema: referenceTo(RESPONSE) },
      'text/event-stream': { schema: referenceTo(EVENT), examples: EXAMPLE_EVENTS },
    },
  });

export const ItemListResponse = (): MethodDecorator => ApiOkResponse({ schema: LIST });

export const ItemResponse = (): MethodDecorator => ApiOkResponse({ schema: referenceTo(ITEM) });
