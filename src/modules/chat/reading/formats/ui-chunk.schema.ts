import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { dtoSchema } from '../../../../common/validation/schemas/documented-schemas';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { ActionDto } from '../../messages/action.dto';
import { CitationDto } from '../../messages/citation.dto';
import { ToolProgressEventDto } from './reply-event.dto';
import { UiIdsDto, UiTrailerDto } from './ui-message.dto';

const id = described(v.string(), 'Id of the part within the message.', '1');

const start = v.object({
  type: described(v.literal('start'), 'Always first.'),
  messageId: described(v.string(), 'Id of the reply, as a string.', '2'),
  messageMetadata: described(dtoSchema(UiIdsDto), 'Ids that belong to the reply.'),
});

const step = v.object({ type: described(v.picklist(['start-step', 'finish-step']), 'Start or end of a step.') });

const edge = v.object({
  type: described(
    v.picklist(['text-start', 'text-end', 'reasoning-start', 'reasoning-end']),
    'Start or end of a part.',
  ),
  id,
});

const delta = v.object({
  type: described(v.picklist(['text-delta', 'reasoning-delta']), 'A piece of the text or of the reasoning.'),
  id,
  delta: described(v.string(), 'The next piece, to append to the earlier ones.', 'The Alfama'),
});

const toolInput = v.object({
  type: described(
    v.literal('tool-input-available'),
    'The model calls a function: for the client at the end of the reply, or for the service.',
  ),
  toolCallId: described(v.string(), 'Identifies the call.', 'call_1'),
  toolName: described(v.string(), 'Name of the function.', 'weather'),
  input: described(v.unknown(), 'The arguments as a JSON value, or as the text of the model if it is malformed.', {
    city: 'Lisbon',
  }),
  dynamic: described(v.literal(true), 'Always true: the page does not know the function in advance.'),
  providerExecuted: v.optional(
    described(v.literal(true), 'Whether the service calls the function. Absent if the client calls it.'),
  ),
});

const ofCall = {
  toolCallId: described(v.string(), 'Identifies the call.', 'call_2_0'),
  dynamic: described(v.literal(true), 'Always true: the page does not know the function in advance.'),
  providerExecuted: described(v.literal(true), 'Always true: the service called the function.'),
};

const toolOutput = v.object({
  type: described(v.literal('tool-output-available'), 'Result of a function that the service called.'),
  ...ofCall,
  output: described(v.string(), 'The result that the model receives.', '{"result":"42","exact":true}'),
});

const toolFailure = v.object({
  type: described(v.literal('tool-output-error'), 'A function of the service failed or was not called.'),
  ...ofCall,
  errorText: described(v.string(), 'The result that the model receives.', 'This call was not allowed.'),
});

const toolDenied = v.object({
  type: described(
    v.literal('tool-output-denied'),
    'A function was not called because the call was denied. From version 6.',
  ),
  toolCallId: described(v.string(), 'Identifies the call.', 'call_2_0'),
});

const approvalRequest = v.object({
  type: described(
    v.literal('tool-approval-request'),
    'The reply waits for the user to approve or deny this call. From version 6.',
  ),
  approvalId: described(v.string(), 'Id of the action, as a string.', '5'),
  toolCallId: described(v.string(), 'Identifies the call.', 'call_2_0'),
});

const action = v.object({
  type: described(
    v.literal('data-action'),
    'An action to decide through its own route, for version 5 and for decisions that the page cannot ' +
      'request. It is sent again with the same id when a question of a server is decided.',
  ),
  id: described(v.string(), 'Id of the action, as a string.', '5'),
  data: described(dtoSchema(ActionDto), 'Id of the action.'),
});

const progress = v.object({
  type: described(v.literal('data-tool-progress'), 'Progress of a call, for `onData`.'),
  id: described(v.string(), 'Identifies the call.', 'call_2_0'),
  data: described(dtoSchema(ToolProgressEventDto), 'The data of the event `tool_progress`.'),
  transient: described(v.literal(true), 'Always true: the part is not stored with the message.'),
});

const source = v.object({
  type: described(v.literal('source-document'), 'A passage of a document that the text uses; once per passage.'),
  sourceId: described(v.string(), 'File and place of the passage.', 'file-7:120-560'),
  mediaType: described(v.string(), 'Media type of the file.', 'application/pdf'),
  title: described(v.string(), 'The heading of the passage, otherwise the name of the file.', 'Passwords'),
  filename: described(v.string(), 'Name of the file.', 'handbook.pdf'),
  providerMetadata: described(
    v.object({ knowledge: described(dtoSchema(CitationDto), 'The first citation of the passage.') }),
    'The citation.',
  ),
});

const finish = v.object({
  type: described(v.literal('finish'), 'How the reply ended.'),
  messageMetadata: described(dtoSchema(UiTrailerDto), 'Usage of tokens.'),
});

const error = v.object({
  type: described(v.literal('error'), 'The reply has failed.'),
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
    source,
    finish,
    error,
    abort,
  ]),
  'The data of an event in the UI message stream (version 1) of the AI SDK, distinguished by `type`. ' +
    'Events have no name. The last event is `data: [DONE]`.',
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
  namedAnswer('UiSourceChunk', source),
  namedAnswer('UiFinishChunk', finish),
  namedAnswer('UiErrorChunk', error),
  namedAnswer('UiAbortChunk', abort),
  UI_CHUNK,
];
