import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import { choice, fact, integer, optionalChoice, optionalInteger, text } from '../../../common/events/event-fields';
import { TOOL_CALL_STATES } from '../../../integrations/llm/port/message-parts';
import type { ShownAction } from '../actions/shown-action';
import { ACTION_KINDS, ACTION_STATES, DECISIONS } from '../actions/tool-action.entity';
import type { ToolCallEntity } from '../actions/tool-call.entity';
import { approverHearers } from './deciding/approvers';

const ids = {
  chat_id: fact(integer('Id of the conversation.')),
  user_id: fact(integer('Id of the owner of the conversation.')),
  message_id: fact(integer('Id of the reply.')),
};

const actionFields = {
  ...ids,
  action_id: fact(integer('Id of the action.')),
  kind: fact(
    choice(
      ACTION_KINDS,
      '`approve`: whether a call may run; `unknown`: how a call ended; `input`: a question of the server; ' +
        '`connect`: the user must connect to the server.',
    ),
  ),
  tool: fact(text('Name of the tool.')),
  state: fact(choice(ACTION_STATES, 'Current status.')),
  decision: fact(optionalChoice(DECISIONS, 'The decision; null if there is none.')),
  decided_by: fact(optionalInteger('Id of the user who decided; null if there was no decision.')),
};

const example = {
  chat_id: 12,
  user_id: 7,
  message_id: 102,
  action_id: 5,
  kind: 'approve',
  tool: 'cancel_order',
  state: 'open',
  decision: null,
  decided_by: null,
} as const;

const required = defineEvent('action.required', {
  description: 'A reply waits for a decision on a tool call.',
  fields: actionFields,
  example,
});

const decided = defineEvent('action.decided', {
  description: 'A reply no longer waits for a decision: it was made, has expired, or is no longer needed.',
  fields: actionFields,
  example: { ...example, state: 'decided', decision: 'approve', decided_by: 7 },
});

const called = defineEvent('tool.called', {
  description: 'A tool call ended.',
  fields: {
    ...ids,
    call_id: fact(integer('Id of the call.')),
    tool: fact(text('Name of the tool.')),
    state: fact(choice(TOOL_CALL_STATES, 'How the call ended.')),
    duration_ms: fact(optionalInteger('Duration of the call in milliseconds; null if it did not run.')),
  },
  example: {
    chat_id: 12,
    user_id: 7,
    message_id: 102,
    call_id: 9,
    tool: 'current_time',
    state: 'succeeded',
    duration_ms: 3,
  },
});

export const ACTING_EVENTS = [required, decided, called];

/** The event of an action that was opened or closed, sent to its user and its approvers. It contains no arguments. */
export function actionEvent({ action, call }: ShownAction): DomainEvent {
  const event = (action.state === 'open' ? required : decided)(action.userId, {
    chat_id: action.chatId,
    user_id: action.userId,
    message_id: action.messageId,
    action_id: action.id,
    kind: action.kind,
    tool: call.name,
    state: action.state,
    decision: action.decision,
    decided_by: action.decidedBy,
  });
  const hearers = approverHearers(action.approver);
  return hearers === undefined ? event : { ...event, hearers };
}

/** The event of a call that ended. */
export function calledEvent(call: ToolCallEntity): DomainEvent {
  return called(call.userId, {
    chat_id: call.chatId,
    user_id: call.userId,
    message_id: call.messageId,
    call_id: call.id,
    tool: call.name,
    state: call.state,
    duration_ms: call.durationMs,
  });
}
