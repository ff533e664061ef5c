import { Injectable } from '@nestjs/common';
import { GuardPresence } from '../../../../common/guard-presence';
import { ATTRIBUTES } from '../../../../common/tracing/conventions';
import type { Span } from '../../../../common/tracing/span';
import { Tracing } from '../../../../common/tracing/tracing';
import type { CallTalk, ToolOutcome } from '../../../tool/tool.api';
import { callIdOf } from '../../actions/shown-action';
import type { ToolCallEntity } from '../../actions/tool-call.entity';

/** One span for each attempt of a tool call. */
@Injectable()
export class ToolSpans {
  constructor(
    private readonly tracing: Tracing,
    private readonly guards: GuardPresence,
  ) {}

  /** Call it before the start of the attempt is stored. A span that is not ended is not exported. */
  start(call: ToolCallEntity, attempt: number): ToolSpan {
    const span = this.tracing.start(`execute_tool ${call.name}`, {
      attributes: {
        [ATTRIBUTES.operation]: 'execute_tool',
        [ATTRIBUTES.toolName]: call.name,
        [ATTRIBUTES.toolType]: 'function',
        [ATTRIBUTES.toolCallId]: callIdOf(call),
        [ATTRIBUTES.toolAttempt]: attempt,
      },
    });
    return new ToolSpan(span, this.tracing, !this.guards.isAny);
  }
}

/** The span of an attempt. */
export class ToolSpan {
  /** Milliseconds that it waited for a person. */
  private waited = 0;

  constructor(
    private readonly span: Span,
    private readonly tracing: Tracing,
    /** False with guards: tools get the values behind masks, and return them. Spans of models show the masks. */
    private readonly mayShowContent: boolean,
  ) {}

  /** The column of the call. Empty without tracing. */
  get columns(): { spanId?: string } {
    return this.span.context === null ? {} : { spanId: this.span.context.spanId };
  }

  /** Runs the attempt. */
  run<Result>(input: unknown, work: () => Result): Result {
    this.setContent(ATTRIBUTES.toolArguments, () => input);
    return this.tracing.within(this.span, work);
  }

  /** The same talk. The time in which a person answers is not part of the span. */
  watch(talk: CallTalk): CallTalk {
    if (!this.span.isRecording) {
      return talk;
    }
    return {
      ...talk,
      ask: async (question, signal) => {
        const askedAt = performance.now();
        try {
          return await talk.ask(question, signal);
        } finally {
          this.waited += performance.now() - askedAt;
        }
      },
    };
  }

  end(outcome: ToolOutcome): void {
    const { span } = this;
    span.set({ [ATTRIBUTES.toolState]: outcome.state === 'needed' ? 'waiting' : outcome.state });
    if (outcome.state === 'failed') {
      span.fail('tool_error');
    } else if (outcome.state === 'unknown') {
      span.fail(outcome.reason);
    }
    if (outcome.state === 'failed' || outcome.state === 'succeeded') {
      this.setContent(ATTRIBUTES.toolResult, () => outcome.content ?? '');
    }
    span.end(Date.now() - this.waited);
  }

  private setContent(name: string, value: () => unknown): void {
    if (this.mayShowContent) {
      this.span.set({ [name]: this.tracing.content(this.span, value) });
    }
  }
}
