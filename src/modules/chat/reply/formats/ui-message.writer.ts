import type { Language } from '../../../../common/i18n/language';
import { ReplyTrailerDto, toReplyTrailerDto } from '../../dto/reply-trailer.dto';
import type { FinishReason } from '../../entities/message.entity';
import type { LiveReply, ReplyEnd } from '../live-reply';
import type { ReplyWriter } from './reply-writer';

/** Our reasons in the words of the AI SDK. */
const FINISH_REASONS: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  cancelled: 'other',
  error: 'error',
};

/**
 * The UI message stream of Vercel's AI SDK, version 1, as `useChat` reads it
 * (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#ui-message-stream-protocol). The trailer is the message's metadata.
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
    return (
      part({ type: 'start', messageId: this.textId }) +
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
  const finishReason = trailer.finish_reason === null ? 'other' : FINISH_REASONS[trailer.finish_reason];
  const finish = part({ type: 'finish', finishReason, messageMetadata: trailer });
  if (trailer.error !== null) {
    return finish + part({ type: 'error', errorText: trailer.error.message });
  }
  return trailer.status === 'completed' ? finish : finish + part({ type: 'abort', reason: trailer.status });
}

function part(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
