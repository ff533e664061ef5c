import type { Language } from '../../../../common/i18n/language';
import { shownJson } from '../../../../common/text/invisible';
import {
  citationOf,
  type LiveReply,
  type ReplyAside,
  type ReplyEnd,
  type ToolEvent,
} from '../../../generation/generation.api';
import { toActionDto } from '../../messages/action.dto';
import { toCitationDto } from '../../messages/citation.dto';
import type { ReplyEventData, ReplyEventName } from './reply-event.dto';
import { type ReplyTrailerDto, toReplyFactsDto, toReplyTrailerDto } from './reply-trailer.dto';
import type { ReplyWriter } from './reply-writer';

/** Follows the offset in the ID of the last event. */
const END_MARK = '-end';

/** The ID of an event, which a browser sends back as `Last-Event-ID`. */
export interface EventId {
  /** The offset of the remaining text. */
  offset: number;
  /** Whether this is the ID of the last event, so that nothing remains to be sent. */
  isEnd: boolean;
}

/** Undefined for an ID that this service did not write. */
export function readEventId(id: string): EventId | undefined {
  const [, offset, endMark] = /^(\d{1,15})(-end)?$/.exec(id) ?? [];
  return offset === undefined ? undefined : { offset: Number(offset), isEnd: endMark !== undefined };
}

/**
 * Server-sent events: `message_start`, `reasoning` {text}, `delta` {text}, `reply_error` and `error`, `message_end`
 * (the trailer). The ID of each event is the text offset after it. A browser automatically resumes from there with
 * `Last-Event-ID`. The ID of the last event marks the end.
 */
export class EventStreamWriter implements ReplyWriter {
  readonly headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
  readonly ping = ': ping\n\n';

  constructor(private readonly language: Language) {}

  begin(reply: LiveReply, offset: number): string {
    const { chatId, userMessageId, messageId } = reply;
    const ids = { chat_id: chatId, user_message_id: userMessageId, message_id: messageId };
    return event('message_start', { ...ids, offset }, offset);
  }

  reasoning(piece: string, offset: number): string {
    return event('reasoning', { text: piece }, offset);
  }

  text(piece: string, offset: number): string {
    return event('delta', { text: piece }, offset);
  }

  tool(news: ToolEvent, reply: LiveReply, offset: number): string {
    const call = reply.toolCalls[news.call];
    if (call === undefined) {
      return '';
    }
    const { id, name: tool, server = null, edited = false } = call;
    if (news.kind === 'tool_started') {
      return event('tool_call', { id, tool, server, arguments: shownJson(call.arguments), edited }, offset);
    }
    const { state, content, ms = null, arguments: executed } = news;
    const given = executed === undefined ? null : shownJson(executed);
    return event('tool_result', { id, state, content, duration_ms: ms, arguments: given }, offset);
  }

  citation(number: number, reply: LiveReply, offset: number): string {
    const passage = reply.passages.find(number);
    return passage === undefined ? '' : event('citation', toCitationDto(citationOf(passage, offset)), offset);
  }

  aside(aside: ReplyAside, reply: LiveReply, offset: number): string {
    if (aside.kind === 'question') {
      return aside.shown.action.state === 'open' ? event('action_required', toActionDto(aside.shown), offset) : '';
    }
    const id = reply.toolCalls[aside.call]?.id ?? '';
    return event('tool_progress', { id, ...aside.progress }, offset);
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = toReplyTrailerDto(reply, end, this.language);
    const data = end.facts === undefined ? trailer : { ...trailer, facts: toReplyFactsDto(end.facts) };
    const asked = (trailer.actions ?? [])
      .map((action) => event('action_required', action, reply.words.length))
      .join('');
    return asked + errors(trailer, reply) + event('message_end', data, `${reply.words.length}${END_MARK}`);
  }
}

/** Sent under two names, because `EventSource` reports its own failures as `error`. */
function errors({ error }: ReplyTrailerDto, { words }: LiveReply): string {
  return error === null ? '' : event('reply_error', error, words.length) + event('error', error, words.length);
}

function event<Name extends ReplyEventName>(name: Name, data: ReplyEventData<Name>, id: number | string): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
