import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { fileCitation, outputItem, outputTextPart, reasoningTextPart, summaryTextPart } from './response-item';
import { responseResource } from './response-schema';

const index = v.pipe(v.number(), v.integer());

const numbered = {
  sequence_number: described(
    index,
    'Number of the event in the response, from 0. It stays the same if you join again.',
    4,
  ),
};

const ofItem = {
  ...numbered,
  item_id: described(v.string(), 'Id of the item.', 'msg_2'),
  output_index: described(index, 'Index of the item in the output.', 0),
};

const ofPart = { ...ofItem, content_index: described(index, 'Index of the part in the item.', 0) };

const ofSummary = { ...ofItem, summary_index: described(index, 'Index of the part in the summary.', 0) };

const always = described(v.pipe(v.array(v.unknown()), v.maxLength(0)), 'Always empty.', []);
const delta = described(v.string(), 'The next piece, to append to the earlier ones.', 'The old ');
const text = described(v.string(), 'The complete text.', 'The old town.');
/** The text part of an item; empty when the part is added. */
export const contentPart = v.variant('type', [outputTextPart, reasoningTextPart]);

const response = described(responseResource, 'Current state of the response.');
const item = described(outputItem, 'Current state of the item.');
const part = described(contentPart, 'Current state of the part.');
const summaryPart = described(summaryTextPart, 'Current state of the part.');

const placed = { ...numbered, output_index: ofItem.output_index };

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is longer than the function
const type = <const Type extends string>(name: Type) => described(v.literal(name), `Always \`${name}\`.`);

/** Shared members of events, by schema name in the OpenAPI document. */
export const EVENT_PLACES = {
  OpenAiItemEvent: v.object(ofItem),
  OpenAiPartEvent: v.object(ofPart),
  OpenAiSummaryEvent: v.object(ofSummary),
};

/**
 * The events of Open Responses 2026-04-24 that this service sends, by schema name in the OpenAPI document. The
 * specification has no event for a cancelled response, which is sent as incomplete.
 */
export const RESPONSE_EVENTS = {
  OpenAiResponseCreated: v.object({ type: type('response.created'), ...numbered, response }),
  OpenAiResponseInProgress: v.object({ type: type('response.in_progress'), ...numbered, response }),
  OpenAiResponseCompleted: v.object({ type: type('response.completed'), ...numbered, response }),
  OpenAiResponseIncomplete: v.object({ type: type('response.incomplete'), ...numbered, response }),
  OpenAiResponseFailed: v.object({ type: type('response.failed'), ...numbered, response }),
  OpenAiOutputItemAdded: v.object({ type: type('response.output_item.added'), ...placed, item }),
  OpenAiOutputItemDone: v.object({ type: type('response.output_item.done'), ...placed, item }),
  OpenAiContentPartAdded: v.object({ type: type('response.content_part.added'), ...ofPart, part }),
  OpenAiContentPartDone: v.object({ type: type('response.content_part.done'), ...ofPart, part }),
  OpenAiOutputTextDelta: v.object({ type: type('response.output_text.delta'), ...ofPart, delta, logprobs: always }),
  OpenAiOutputTextDone: v.object({ type: type('response.output_text.done'), ...ofPart, text, logprobs: always }),
  OpenAiAnnotationAdded: v.object({
    type: type('response.output_text.annotation.added'),
    ...ofPart,
    annotation_index: described(index, 'Index of the annotation in the part.', 0),
    annotation: described(fileCitation, 'The annotation.'),
  }),
  OpenAiFileSearchInProgress: v.object({ type: type('response.file_search_call.in_progress'), ...ofItem }),
  OpenAiFileSearchSearching: v.object({ type: type('response.file_search_call.searching'), ...ofItem }),
  OpenAiFileSearchCompleted: v.object({ type: type('response.file_search_call.completed'), ...ofItem }),
  OpenAiReasoningDelta: v.object({ type: type('response.reasoning.delta'), ...ofPart, delta }),
  OpenAiReasoningDone: v.object({ type: type('response.reasoning.done'), ...ofPart, text }),
  OpenAiReasoningSummaryPartAdded: v.object({
    type: type('response.reasoning_summary_part.added'),
    ...ofSummary,
    part: summaryPart,
  }),
  OpenAiReasoningSummaryPartDone: v.object({
    type: type('response.reasoning_summary_part.done'),
    ...ofSummary,
    part: summaryPart,
  }),
  OpenAiReasoningSummaryTextDelta: v.object({
    type: type('response.reasoning_summary_text.delta'),
    ...ofSummary,
    delta,
  }),
  OpenAiReasoningSummaryTextDone: v.object({ type: type('response.reasoning_summary_text.done'), ...ofSummary, text }),
  OpenAiFunctionArgumentsDelta: v.object({ type: type('response.function_call_arguments.delta'), ...ofItem, delta }),
  OpenAiFunctionArgumentsDone: v.object({
    type: type('response.function_call_arguments.done'),
    ...ofItem,
    name: described(v.string(), 'Name of the function.', 'get_weather'),
    arguments: described(
      v.string(),
      'Arguments as JSON, as written by the model. It may be malformed.',
      '{"city":"Lisbon"}',
    ),
  }),
  OpenAiCustomInputDelta: v.object({ type: type('response.custom_tool_call_input.delta'), ...ofItem, delta }),
  OpenAiCustomInputDone: v.object({
    type: type('response.custom_tool_call_input.done'),
    ...ofItem,
    input: described(v.string(), 'The complete input.', '*** Begin Patch'),
  }),
  OpenAiMcpListInProgress: v.object({ type: type('response.mcp_list_tools.in_progress'), ...ofItem }),
  OpenAiMcpListCompleted: v.object({ type: type('response.mcp_list_tools.completed'), ...ofItem }),
  OpenAiMcpCallInProgress: v.object({ type: type('response.mcp_call.in_progress'), ...ofItem }),
  OpenAiMcpArgumentsDelta: v.object({ type: type('response.mcp_call_arguments.delta'), ...ofItem, delta }),
  OpenAiMcpArgumentsDone: v.object({
    type: type('response.mcp_call_arguments.done'),
    ...ofItem,
    arguments: described(v.string(), 'Arguments as JSON, as sent to the tool.', '{"order":7}'),
  }),
  OpenAiMcpCallCompleted: v.object({ type: type('response.mcp_call.completed'), ...ofItem }),
  OpenAiMcpCallFailed: v.object({ type: type('response.mcp_call.failed'), ...ofItem }),
};

export type ResponseEvent = v.InferOutput<(typeof RESPONSE_EVENTS)[keyof typeof RESPONSE_EVENTS]>;

/** Event names that differ from the specification for a client. */
export type EventNames = Partial<Record<ResponseEvent['type'], string>>;

/** The members of an event other than type and number. */
export type ResponseEventData<Type extends ResponseEvent['type']> = Omit<
  Extract<ResponseEvent, { type: Type }>,
  'type' | 'sequence_number'
>;
