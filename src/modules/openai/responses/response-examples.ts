import { eventExamples } from '../../../common/http/event-stream-example';
import type { LiveReply, ReplyEnd, ReplyStep } from '../../generation/generation.api';
import { ResponseEventsWriter } from './wire/response-events-writer';
import { WHOLE } from './wire/response-part';
import { type ResponseHead, type ResponseState, stateOfEnd } from './wire/response-resource';
import type { ResponseSettings } from './wire/response-settings';

/** The settings of a request without options. */
export const EXAMPLE_SETTINGS: ResponseSettings = {
  model: 'General assistant',
  instructions: null,
  previous_response_id: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: 'auto' },
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
};

const HEAD: Omit<ResponseHead, 'labels' | 'listed'> = {
  messageId: 2,
  chatId: 1,
  createdAt: new Date(1_769_851_800_000),
  settings: EXAMPLE_SETTINGS,
  part: WHOLE,
};

const END: ReplyEnd = {
  status: 'completed',
  finishReason: 'stop',
  usage: { prompt: 12, completion: 4, total: 16, cached: 0, reasoning: 0, isEstimated: false, model: 'scripted' },
  failure: null,
  title: null,
  at: new Date(1_769_851_803_000),
};

const SAID: ReplyStep[] = [{ kind: 'text', text: 'The old town.' }];

const CALLED: ReplyStep[] = [
  { kind: 'reasoning', text: 'A first visit.' },
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'get_weather' },
  { kind: 'tool_arguments', call: 0, text: '{"city":"Lisbon"}' },
];

const CALLED_CUSTOM: ReplyStep[] = [
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'apply_patch', tool: { type: 'custom', name: 'apply_patch' } },
  { kind: 'tool_arguments', call: 0, text: '{"input":"*** Begin Patch"}' },
];

/** Tools of the agent, with their modules. */
const LABELS = { current_time: 'tool', find_order: 'orders' };

const ACTED: ReplyStep[] = [
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'current_time' },
  { kind: 'tool_call', call: 1, id: 'call_2', name: 'find_order' },
  { kind: 'tool_started', call: 0, state: 'approved', arguments: '{"time_zone":"Europe/Lisbon"}' },
  { kind: 'tool_started', call: 1, state: 'approved', arguments: '{"order":6}' },
  { kind: 'tool_result', call: 0, content: '31 January 2026 at 09:30:00 GMT', is_error: false, state: 'succeeded' },
  { kind: 'tool_result', call: 1, content: 'There is no such order.', is_error: true, state: 'failed' },
];

const PASSAGE = {
  number: 1,
  store_id: 3,
  file_id: 7,
  filename: 'handbook.pdf',
  media_type: 'application/pdf',
  heading: 'Passwords',
  page: 12,
  start: 120,
  end: 162,
  score: 0.61,
  text: 'To reset your password, open the settings.',
};

const SEARCHED: ReplyStep[] = [
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'search_knowledge' },
  { kind: 'tool_started', call: 0, state: 'approved', arguments: '{"queries":["reset password"]}' },
  { kind: 'tool_result', call: 0, content: '', is_error: false, state: 'succeeded', passages: [PASSAGE] },
  { kind: 'text', text: 'In the settings' },
  { kind: 'citation', number: PASSAGE.number },
  { kind: 'text', text: '.' },
];

const LISTED = [
  {
    server_label: 'orders',
    tools: [
      {
        name: 'find_order',
        description: 'Returns the status of an order.',
        input_schema: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
        annotations: { read_only: true },
      },
    ],
  },
];

/** A stream, and the data of one event of each type. */
export const EXAMPLE_STREAM = exampleStream(SAID, END);
export const EXAMPLE_EVENTS = eventExamples(
  [
    EXAMPLE_STREAM,
    exampleStream(CALLED, { ...END, finishReason: 'length' }),
    exampleStream(CALLED_CUSTOM, END),
    exampleStream(SEARCHED, END),
    exampleStream(ACTED, END, { labels: LABELS, listed: LISTED }),
    exampleStream([], { ...END, status: 'failed', failure: { code: 'PROVIDER_TIMEOUT', retryable: true } }),
  ],
  ({ event = '' }) => event,
);

function exampleStream(
  steps: readonly ReplyStep[],
  end: ReplyEnd,
  tools: Pick<ResponseHead, 'labels' | 'listed'> = { labels: null, listed: null },
): string {
  const explain = (): ResponseState['error'] & object => ({
    code: 'PROVIDER_TIMEOUT',
    message: 'The AI model took too long to answer.',
  });
  const writer = new ResponseEventsWriter({ ...HEAD, ...tools }, (ended) => stateOfEnd(ended, explain));
  const reply = {} as LiveReply;
  return writer.begin(reply) + steps.map((step) => writer.step(step)).join('') + writer.end(reply, end);
}
