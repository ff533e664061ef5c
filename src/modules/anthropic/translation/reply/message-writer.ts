import type { ApiError } from '../../../../common/errors/api-error';
import { toApiError } from '../../../../common/errors/to-api-error';
import type { LiveReply, ReplyEnd, ReplyStep, StepWriter } from '../../../generation/generation.api';
import { BlockEvents } from './block-events';
import { messageBody, type MessageHead, NOT_STOPPED, stopOf } from './message';
import { toDeltaUsage, usageAtStart } from './message-usage';
import type { ReplyOutcome } from './reply-outcome';
import { eventText, PING, STREAM_HEADERS } from './server-sent-event';

/** Writes the events of a streamed message. After a failure, its error is the last event. */
export class MessageWriter implements StepWriter {
  readonly headers = STREAM_HEADERS;
  readonly ping = PING;
  readonly pingsAfterSilence = true;
  private readonly blocks: BlockEvents;
  private hasFailed = false;

  /** @param errorEvent the event of a failure */
  constructor(
    private readonly head: MessageHead,
    private readonly outcome: ReplyOutcome,
    private readonly errorEvent: (error: ApiError) => { type: string },
  ) {
    this.blocks = new BlockEvents(head);
  }

  begin(): string {
    const { head } = this;
    const message = messageBody(head, [], NOT_STOPPED, usageAtStart(head.promptTokens));
    return eventText({ type: 'message_start', message } as { type: string }) + PING;
  }

  step(step: ReplyStep): string {
    return this.written(() => this.blocks.add(step));
  }

  beforeEnd(_reply: LiveReply, end: ReplyEnd): Promise<void> | null {
    return this.outcome.beforeEnd(end);
  }

  end(_reply: LiveReply, end: ReplyEnd): string {
    const failure = this.outcome.failureOf(end);
    if (failure !== null) {
      return this.fail(failure);
    }
    return this.written(() => this.blocks.end()) + this.stop(end);
  }

  private stop({ finishReason, usage }: ReplyEnd): string {
    if (this.hasFailed) {
      return '';
    }
    const delta = { container: null, ...stopOf(finishReason) };
    const stopped = { type: 'message_delta', delta, usage: toDeltaUsage(usage) };
    return eventText(stopped) + eventText({ type: 'message_stop' });
  }

  /** Malformed arguments of a call end the message. */
  private written(write: () => string): string {
    if (this.hasFailed) {
      return '';
    }
    try {
      return write();
    } catch (error) {
      return this.fail(toApiError(error));
    }
  }

  private fail(error: ApiError): string {
    if (this.hasFailed) {
      return '';
    }
    this.hasFailed = true;
    return eventText(this.errorEvent(error));
  }
}
