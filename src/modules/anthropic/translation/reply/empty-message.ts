import { type MessageBody, messageBody, type MessageHead, NOT_STOPPED, stopOf } from './message';
import { toDeltaUsage, toMessageUsage } from './message-usage';
import { eventText, PING } from './server-sent-event';

/** The message of a request with `max_tokens: 0`, for which no model is called. */
export function emptyMessage(head: Pick<MessageHead, 'id' | 'model'>): MessageBody {
  return messageBody(head, [], stopOf('length'), toMessageUsage(null));
}

/** The events of the same message. */
export function emptyMessageEvents(head: Pick<MessageHead, 'id' | 'model'>): string {
  const message = messageBody(head, [], NOT_STOPPED, toMessageUsage(null));
  const delta = { container: null, ...stopOf('length') };
  const events = [
    { type: 'message_start', message },
    { type: 'message_delta', delta, usage: toDeltaUsage(null) },
    { type: 'message_stop' },
  ];
  const [start = '', ...others] = events.map(eventText);
  return [start, PING, ...others].join('');
}
