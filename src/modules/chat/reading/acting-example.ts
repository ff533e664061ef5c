import {
  LiveReply,
  passagesText,
  type ReplyEnd,
  type ShownAction,
  type ToolEvent,
} from '../../generation/generation.api';
import type { StreamFormat } from './reply-query.dto';
import { createReplyWriter } from './stream-format';
import { DEFAULT_UI_VERSION, type UiVersion } from './ui-version';

const AT = new Date('2026-01-31T09:30:00.000Z');

const ASKED: ShownAction = {
  action: {
    id: 5,
    callId: 9,
    messageId: 2,
    chatId: 1,
    userId: 7,
    kind: 'approve',
    approver: 'user',
    state: 'open',
    decision: null,
    decidedBy: null,
    decidedAt: null,
    question: null,
    answer: null,
    answerHash: null,
    edited: null,
    reason: null,
    text: null,
    shownText: null,
    shownNews: null,
    expiresAt: new Date('2026-02-01T09:30:00.000Z'),
    createdAt: AT,
  },
  call: {
    id: 9,
    messageId: 2,
    number: 4,
    userId: 7,
    chatId: 1,
    agentId: 1,
    round: 1,
    name: 'cancel_order',
    source: 'orders',
    server: null,
    pin: null,
    arguments: { order: 7 },
    proposedArguments: null,
    argumentsHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    state: 'waiting',
    policy: 'ask',
    approver: 'user',
    isReadOnly: false,
    isIdempotent: false,
    isDestructive: true,
    isOutside: false,
    isTainted: false,
    asked: null,
    attempts: 0,
    interruptions: 0,
    result: null,
    isError: false,
    durationMs: null,
    createdAt: AT,
    startedAt: null,
    endedAt: null,
  },
};

const PASSAGE = {
  number: 1,
  store_id: 3,
  file_id: 7,
  filename: 'terms.pdf',
  media_type: 'application/pdf',
  heading: 'Cancellation',
  page: 12,
  start: 120,
  end: 176,
  score: 0.61,
  text: 'An order can be cancelled until it leaves the warehouse.',
};

const CALLS = [
  {
    name: 'current_time',
    arguments: '{"time_zone":"Europe/Lisbon"}',
    state: 'succeeded',
    content: 'Saturday, 31 January 2026 at 09:30:00 GMT',
    is_error: false,
  },
  { name: 'find_order', arguments: '{"order":6}', state: 'failed', content: 'There is no such order.', is_error: true },
  {
    name: 'cancel_order',
    arguments: '{"order":8}',
    state: 'denied',
    content: 'This call was not allowed.',
    is_error: true,
  },
  {
    name: 'search_knowledge',
    arguments: '{"queries":["cancel order"]}',
    state: 'succeeded',
    content: passagesText([PASSAGE], true),
    is_error: false,
    passages: [PASSAGE],
  },
] as const;

const HALF = { progress: 1, total: 2, message: 'Looking it up' };

const ANSWER = 'Order 7 has not left the warehouse, so it can be cancelled';

/**
 * An example stream of a reply with four finished tool calls, one failed, one denied and one whose passage the text
 * uses, and a fifth that waits for approval.
 */
export function actingExample(
  format: StreamFormat,
  usage: ReplyEnd['usage'],
  uiVersion: UiVersion = DEFAULT_UI_VERSION,
): string {
  const reply = new LiveReply(1, 1, 2);
  const writer = createReplyWriter(format, 'en', { uiVersion, isContinued: false });
  let stream = writer.begin(reply, 0);
  const write = (step: ToolEvent): void => {
    reply.addToolEvent(step);
    stream += writer.tool?.(step, reply, reply.words.length) ?? '';
  };
  for (const [call, { name, arguments: input, ...result }] of CALLS.entries()) {
    reply.callTool(`call_2_${call}`, name);
    reply.addArguments(call, input);
    write({ kind: 'tool_started', call, state: result.state === 'denied' ? 'denied' : 'approved' });
    stream += writer.aside?.({ kind: 'progress', call, progress: HALF }, reply, 0) ?? '';
    write({ kind: 'tool_result', call, ms: 3, ...result });
  }
  reply.append(ANSWER);
  reply.cite(PASSAGE.number);
  stream += writer.text(ANSWER, ANSWER.length) + (writer.citation?.(PASSAGE.number, reply, ANSWER.length) ?? '');
  reply.callTool(`call_2_${ASKED.call.number}`, ASKED.call.name);
  reply.addArguments(ASKED.call.number, JSON.stringify(ASKED.call.arguments));
  write({ kind: 'tool_started', call: ASKED.call.number, state: 'waiting', asked: true });
  const waiting = { status: 'requires_action', finishReason: null, failure: null, title: null } as const;
  return stream + writer.end(reply, { ...waiting, usage, actions: [ASKED] });
}
