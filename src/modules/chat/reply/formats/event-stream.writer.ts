import type { Language } from '../../../../common/i18n/language';
import { toReplyTrailerDto } from '../../dto/reply-trailer.dto';
import type { LiveReply, ReplyEnd } from '../live-reply';
import type { ReplyWriter } from './reply-writer';

/**
 * Server-sent events: `message_start`, `delta` {text}, `error`, `message_end` (the trailer). The id of each event is the
 * offset that the text has reached, so that a browser resumes there by itself with `Last-Event-ID`.
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

  text(piece: string, offset: number): string {
    return event('delta', { text: piece }, offset);
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = toReplyTrailerDto(reply, end, this.language);
    const error = trailer.error === null ? '' : event('error', trailer.error, reply.text.length);
    return error + event('message_end', trailer, reply.text.length);
  }
}

function event(name: string, data: object, id: number): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
