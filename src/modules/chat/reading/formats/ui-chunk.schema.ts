import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { dtoSchema } from '../../../../common/validation/schemas/documented-schemas';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { ActionDto } from '../../messages/action.dto';
import { ToolProgressEventDto } from './reply-event.dto';
import { UiIdsDto, UiTrailerDto } from './ui-message.dto';

const id = described(v.string(), 'Tells the parts of a message apart.', '1');

const start = v.object({
  type: described(v.literal('start'), 'Always first.'),
  messageId: described(v.string(), 'The id of the reply as text.', '2'),
  messageMetadata: described(dtoSchema(UiIdsDto), 'The ids of the reply.'),
});

const step = v.object({ type: described(v.picklist(['start-step', 'finish-step']), 'Around the parts.') });

const edge = v.object({
  type: described(
    v.picklist(['text-start', 'text-end', 'reasoning-start', 'reasoning-end']),
    'Around the deltas of a part.',
  ),
  id,
});

const delta = v.object({
  type: described(v.picklist(['text-delta', 'reasoning-delta']), 'A piece of the text, or of what the model thinks.'),
  id,
  delta: described(v.string(), 'It follows the pieces before it.', 'The Alfama'),
});

const toolInput = v.object({
  type: described(
    v.literal('tool-input-available'),
    'The model wants to have a function called: at the end of the reply, or where the service calls it itself.',
  ),
  toolCallId: described(v.string(), 'Names the call.', 'call_1'),
  toolName: described(v.string(), 'The function.', 'weather'),
  input: described(v.unknown(), 'The arguments: a JSON value, or the text that the model wrote, if it is malformed.', {
    city: 'Lisbon',
  }),
  dynamic: described(v.literal(true), 'The page does not know the function beforehand.'),
  providerExecuted: v.optional(described(v.literal(true), 'The service calls it itself; absent: it does not.')),
});

const ofCall = {
  toolCallId: described(v.string(), 'Names the call.', 'call_2_0'),
  dynamic: described(v.literal(true), 'The page does not know the function beforehand.'),
  providerExecuted: described(v.literal(true), 'The service called it itself.'),
};

const toolOutput = v.object({
  type: described(v.literal('tool-output-available'), 'What a function returned that the service called itself.'),
  ...ofCall,
  output: described(v.string(), 'As the model is told it.', '{"result":"42","exact":true}'),
});

const toolFailure = v.object({
  type: described(
    v.literal('tool-output-error'),
    'A function that the service called itself failed, or was not called.',
  ),
  ...ofCall,
  errorText: described(v.string(), 'As the model is told it.', 'This call was not allowed.'),
});

const toolDenied = v.object({
  type: described(
    v.literal('tool-output-denied'),
    'A function was not called, because that was not allowed. From version 6 on.',
  ),
  toolCallId: described(v.string(), 'Names the call.', 'call_2_0'),
});

const approvalRequest = v.object({
  type: described(
    v.literal('tool-approval-request'),
    'The reply waits until its user says whether this call may be made. From version 6 on.',
  ),
  approvalId: described(v.string(), 'The id of the action as text.', '5'),
  toolCallId: described(v.string(), 'Names the call.', 'call_2_0'),
});

const action = v.object({
  type: described(
    v.literal('data-action'),
    'Somebody is to decide this action by its route: for version 5, and where the page cannot ask. It comes again, with the same ' +
      'id, when what a server asks during a call is decided.',
  ),
  id: described(v.string(), 'The id of the action as text.', '5'),
  data: described(dtoSchema(ActionDto), 'The action.'),
});

const progress = v.object({
  type: described(v.literal('data-tool-progress'), 'How far a call has come, for `onData`.'),
  id: described(v.string(), 'Names the call.', 'call_2_0'),
  data: described(dtoSchema(ToolProgressEventDto), 'As in the event `tool_progress`.'),
  transient: described(v.literal(true), 'It is no part of the message.'),
});

const finish = v.object({
  type: described(v.literal('finish'), 'How the reply ended.'),
  messageMetadata: described(dtoSchema(UiTrailerDto), 'What it used.'),
});

const error = v.object({
  type: described(v.literal('error'), 'The reply failed.'),
  errorText: described(
    v.string(),
    "A sentence for people, in the caller's language.",
    'The AI model took too long to answer.',
  ),
});

const abort = v.object({ type: described(v.literal('abort'), 'The reply was stopped or interrupted.') });

const chunk = described(
  v.variant('type', [
    start,
    step,
    edge,
    delta,
    toolInput,
    toolOutput,
    toolFailure,
    toolDenied,
    approvalRequest,
    action,
    progress,
    finish,
    error,
    abort,
  ]),
  'The data of an event in the UI message stream of the AI SDK, version 1, told apart by `type`. Events have no name. ' +
    'The last one is `data: [DONE]`.',
);

/** A chunk of the stream. */
export type UiChunk = v.InferOutput<typeof chunk>;

export const UI_CHUNK = namedAnswer('UiMessageChunk', chunk);

/** The schema of the event data and of each of its variants. */
export const UI_CHUNK_SCHEMAS = [
  namedAnswer('UiStartChunk', start),
  namedAnswer('UiStepChunk', step),
  namedAnswer('UiPartChunk', edge),
  namedAnswer('UiDeltaChunk', delta),
  namedAnswer('UiToolInputChunk', toolInput),
  namedAnswer('UiToolOutputChunk', toolOutput),
  namedAnswer('UiToolFailureChunk', toolFailure),
  namedAnswer('UiToolDeniedChunk', toolDenied),
  namedAnswer('UiApprovalRequestChunk', approvalRequest),
  namedAnswer('UiActionChunk', action),
  namedAnswer('UiProgressChunk', progress),
  namedAnswer('UiFinishChunk', finish),
  namedAnswer('UiErrorChunk', error),
  namedAnswer('UiAbortChunk', abort),
  UI_CHUNK,
];
