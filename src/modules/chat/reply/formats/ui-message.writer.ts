import type { Language } from '../../../../common/i18n/language';
import { ReplyTrailerDto, toReplyTrailerDto } from '../../dto/reply-trailer.dto';
import { toUiTrailer } from '../../dto/ui-message.dto';
import type { LiveReply, ReplyEnd } from '../live-reply';
import type { ReplyWriter } from './reply-writer';

/**
 * The UI message stream of Vercel's AI SDK, version 1, as `useChat` reads it
 * (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#ui-message-stream-protocol). The ids, and the trailer, are the message's metadata.
 * Only keys that its first release knew are written: its readers refuse a part with any other.
 */
export class UiMessageWriter implements ReplyWriter {
  readonly headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'x-vercel-ai-ui-message-stream': 'v1',
  };
  readonly ping = ': ping\n\n';
  private textId = '';

  constructor(private readonly language: Language) {}

  begin(reply: LiveReply): string {
    this.textId = String(reply.messageId);
    const { chatId, userMessageId, messageId } = reply;
    const messageMetadata = { chat_id: chatId, user_message_id: userMessageId, message_id: messageId };
    return (
      part({ type: 'start', messageId: this.textId, messageMetadata }) +
      part({ type: 'start-step' }) +
      part({ type: 'text-start', id: this.textId })
    );
  }

  text(piece: string): string {
    return part({ type: 'text-delta', id: this.textId, delta: piece });
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = toReplyTrailerDto(reply, end, this.language);
    return `${part({ type: 'text-end', id: this.textId })}${part({ type: 'finish-step' })}${outcome(trailer)}data: [DONE]\n\n`;
  }
}

function outcome(trailer: ReplyTrailerDto): string {
  const finish = part({ type: 'finish', messageMetadata: toUiTrailer(trailer) });
  if (trailer.error !== null) {
    return finish + part({ type: 'error', errorText: trailer.error.message });
  }
  return trailer.status === 'completed' ? finish : finish + part({ type: 'abort' });
}

function part(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
