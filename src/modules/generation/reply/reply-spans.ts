import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import type { SpanAttributes, SpanContext, SpanLink } from '../../../common/tracing/span';
import { formatTraceparent, isSampled, parseTraceparent } from '../../../common/tracing/trace-context';
import { errorCode, Tracing } from '../../../common/tracing/tracing';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import type { GenerationTask } from './generation-task';
import type { LiveReply } from './live-reply';
import type { ReplyEnd } from './reply-end';
import { type ReplyTable, ReplyTables } from './reply-origin';
import { RunningReply } from './running-reply';

/** The traces of a reply as the API shows them. */
export interface ShownTraces {
  /** Null: the reply was not traced. */
  trace_id: string | null;
  /** Null: the reply was not traced. */
  trace_sampled: boolean | null;
  /** Absent: the reply has one trace. */
  trace_ids?: string[];
}

/** The spans of replies: one from the start of a reply to its end or until it waits, and one for each continuation. */
@Injectable()
export class ReplySpans {
  /** Spans of replies that this instance has taken and not started yet, by reply. */
  private readonly continuing = new Map<number, Pick<GenerationTask, 'span' | 'earlierSpans' | 'startedBy'>>();

  constructor(
    private readonly tracing: Tracing,
    private readonly database: Database,
    private readonly places: ReplyTables,
  ) {}

  /** Starts the span of a new reply, once for all attempts to store its start. */
  begin(task: GenerationTask): void {
    if (this.tracing.isOn && task.span === undefined) {
      const own = task.isBackground === true && { parent: null };
      task.span = this.tracing.start(nameOf(task), { ...own, attributes: this.attributesOf(task) });
      task.startedBy = this.tracing.active.context?.spanId;
      if (own !== false) {
        this.linkRequest('started', task.span.context);
      }
    }
  }

  /** Call it when the ids of the reply are known. */
  identify(reply: RunningReply): void {
    reply.span.set(idsOf(reply.chatId, reply.messageId));
  }

  /**
   * Within `Database.write`: starts the span of a reply that continues. Its context is stored after those of the earlier
   * spans.
   *
   * @returns the columns to store. Empty without tracing
   */
  async takeOver(manager: EntityManager, place: ReplyTable, messageId: number): Promise<{ spans?: string[] }> {
    if (!this.tracing.isOn) {
      return {};
    }
    const row = await findRow(manager, place.entity, { id: messageId }, { members: ['spans'] });
    const earlier = row?.spans ?? [];
    const previous = parseTraceparent(earlier.at(-1));
    const links: SpanLink[] = previous === null ? [] : [{ kind: 'continues', context: previous }];
    const span = this.tracing.start('invoke_agent', { links });
    const continued = { span, earlierSpans: earlier, startedBy: this.tracing.active.context?.spanId };
    this.database.onCommit(() => this.continuing.set(messageId, continued));
    return spanColumns(continued);
  }

  /** Gives a continued reply its span. Call it after `takeOver`. */
  resume(messageId: number, task: GenerationTask): void {
    const continued = this.continuing.get(messageId);
    if (continued !== undefined) {
      this.continuing.delete(messageId);
      Object.assign(task, continued);
      continued.span?.rename(nameOf(task));
      continued.span?.set(this.attributesOf(task));
    }
  }

  /** Runs the work of a reply in its span. */
  within<Result>({ span }: RunningReply, work: () => Result): Result {
    return this.tracing.within(span, work);
  }

  /** Ends the span of a reply that has ended, or that waits. */
  end({ span }: RunningReply, { status, failure, usage }: ReplyEnd): void {
    span.set({
      [ATTRIBUTES.messageStatus]: status,
      ...(usage && {
        [ATTRIBUTES.inputTokens]: usage.prompt,
        [ATTRIBUTES.outputTokens]: usage.completion,
        [ATTRIBUTES.cacheRead]: usage.cached,
        [ATTRIBUTES.cacheWrite]: usage.cacheWrite ?? 0,
        [ATTRIBUTES.reasoningTokens]: usage.reasoning,
      }),
    });
    if (failure !== null) {
      span.fail(failure.code);
    }
    span.end();
  }

  /** Ends the span of a reply that another instance continues, or that has failed outside of its models. */
  abandon({ span }: RunningReply, error: unknown): void {
    span.fail(errorCode(error));
    span.end();
  }

  /** Links the span of a request that reads a reply which another request has started. */
  async linkJoin(reply: LiveReply): Promise<void> {
    const { active } = this.tracing;
    const running = reply instanceof RunningReply ? reply : null;
    if (active.isRecording && (running === null || running.task.startedBy !== active.context?.spanId)) {
      this.linkRequest('joins', running?.span.context ?? (await this.storedContext(reply.messageId)));
    }
  }

  /** What the API shows of the spans of a reply. @param stored its column `spans` */
  shown(stored: readonly string[] | null | undefined): ShownTraces {
    const contexts = (stored ?? []).flatMap((text) => parseTraceparent(text) ?? []);
    const [first] = contexts;
    const ids = [...new Set(contexts.map(({ traceId }) => traceId))];
    return {
      trace_id: first?.traceId ?? null,
      trace_sampled: first === undefined ? null : isSampled(first),
      ...(ids.length > 1 && { trace_ids: ids }),
    };
  }

  /** For administrators. */
  urlOf({ trace_id }: ShownTraces): string | null {
    return this.tracing.urlOf(trace_id);
  }

  /** The span that the reply had last. Null: none. */
  private async storedContext(messageId: number): Promise<SpanContext | null> {
    for (const { entity } of this.places.all) {
      const row = await findRow(this.database.manager, entity, { id: messageId }, { members: ['spans'] });
      if (row !== null) {
        return parseTraceparent(row.spans?.at(-1));
      }
    }
    return null;
  }

  private linkRequest(kind: SpanLink['kind'], context: SpanContext | null): void {
    if (context !== null) {
      this.tracing.active.addLink({ kind, context });
    }
  }

  private attributesOf({ agent, userId }: GenerationTask): SpanAttributes {
    return {
      [ATTRIBUTES.operation]: 'invoke_agent',
      [ATTRIBUTES.agentName]: agent.name,
      [ATTRIBUTES.agentVersion]: String(agent.version),
      [ATTRIBUTES.userId]: this.tracing.userOf(userId),
    };
  }
}

/** The column `spans` of a reply. Empty without tracing. */
export function spanColumns({ span, earlierSpans = [] }: Pick<GenerationTask, 'span' | 'earlierSpans'>): {
  spans?: string[];
} {
  return span?.context ? { spans: [...earlierSpans, formatTraceparent(span.context)] } : {};
}

function nameOf({ agent }: GenerationTask): string {
  return `invoke_agent ${agent.name}`;
}

function idsOf(chatId: number, messageId: number): SpanAttributes {
  const conversation = chatId === 0 ? undefined : String(chatId);
  return {
    [ATTRIBUTES.conversation]: conversation,
    [ATTRIBUTES.sessionId]: conversation,
    [ATTRIBUTES.messageId]: messageId,
  };
}
