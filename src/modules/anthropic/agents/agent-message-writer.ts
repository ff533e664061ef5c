import type { ApiError } from '../../../common/errors/api-error';
import type { LiveReply, ReplyEnd, ReplyStep, StepWriter } from '../../generation/generation.api';
import type { MessageHead } from '../translation/reply/message';
import { MessageWriter } from '../translation/reply/message-writer';
import type { ReplyOutcome } from '../translation/reply/reply-outcome';
import { eventText, PING, STREAM_HEADERS } from '../translation/reply/server-sent-event';
import { AgentEvents } from './agent-events';

/**
 * Passes on the events of an agent's provider. If a provider with another API answers instead, as a fallback, its reply
 * is translated.
 */
export class AgentMessageWriter implements StepWriter {
  readonly headers = STREAM_HEADERS;
  readonly ping = PING;
  readonly pingsAfterSilence = true;
  private readonly events: AgentEvents;
  private readonly translation: MessageWriter;
  private source: 'events' | 'translation' | null = null;

  /** @param errorEvent the event of a failure */
  constructor(
    head: MessageHead,
    private readonly outcome: ReplyOutcome,
    private readonly errorEvent: (error: ApiError) => { type: string },
  ) {
    this.events = new AgentEvents(head.model, head.own);
    this.translation = new MessageWriter(head, outcome, errorEvent);
  }

  begin(): string {
    return '';
  }

  step(step: ReplyStep): string {
    this.source ??= step.kind === 'event' ? 'events' : null;
    if (this.source === 'events') {
      return step.kind === 'event' ? this.events.add(step.text) : '';
    }
    return this.begun() + this.translation.step(step);
  }

  beforeEnd(_reply: LiveReply, end: ReplyEnd): Promise<void> | null {
    return this.outcome.beforeEnd(end);
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const failure = this.outcome.failureOf(end);
    if (failure !== null) {
      return eventText(this.errorEvent(failure));
    }
    return this.source === 'events' ? this.events.end() : this.begun() + this.translation.end(reply, end);
  }

  private begun(): string {
    const isNew = this.source === null;
    this.source = 'translation';
    return isNew ? this.translation.begin() : '';
  }
}
