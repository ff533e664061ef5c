import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NO_SPAN, type RemoteContext, type Span, type SpanOptions, type SpanSource } from './span';
import { formatTraceparent } from './trace-context';
import { TracingConfig } from './tracing.config';

/** The longest content of one attribute, in UTF-8 bytes. */
const MOST_CONTENT_BYTES = 16_384;

/**
 * Traces of requests, replies, and what they call. Without tracing, it costs nothing: every span is `NO_SPAN`, and no
 * OpenTelemetry package is loaded. `open-telemetry.ts` is the only file that uses one.
 */
@Injectable()
export class Tracing implements OnModuleInit, OnApplicationShutdown {
  private readonly spans = new AsyncLocalStorage<Span>();

  /** @param source null: tracing is off */
  constructor(
    private readonly config: TracingConfig,
    private readonly source: SpanSource | null,
  ) {}

  onModuleInit(): void {
    if (this.capturesContent) {
      new Logger(Tracing.name).warn(
        'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is set: traces contain messages of users. Erasing an ' +
          'account does not reach the traces that were exported.',
      );
    }
  }

  get isOn(): boolean {
    return this.source !== null;
  }

  /** Whether spans contain texts that people and models wrote. */
  get capturesContent(): boolean {
    return this.isOn && this.config.capturesContent;
  }

  get includesDatabase(): boolean {
    return this.isOn && this.config.TRACE_DATABASE;
  }

  /** The span of the current request, reply or call. */
  get active(): Span {
    return this.source === null ? NO_SPAN : (this.spans.getStore() ?? NO_SPAN);
  }

  /** Starts a span. The caller ends it. */
  start(name: string, options: SpanOptions = {}): Span {
    if (this.source === null) {
      return NO_SPAN;
    }
    const parent = options.parent === undefined ? (this.active.context ?? this.source.outer()) : options.parent;
    return this.source.start(name, { ...options, parent });
  }

  /** Runs work with the span as the active one, also in everything that the work awaits. */
  within<Result>(span: Span, work: () => Result): Result {
    const { source } = this;
    if (source === null || span.context === null) {
      return work();
    }
    const { context } = span;
    return this.spans.run(span, () => source.within(context, work));
  }

  /**
   * Runs work in a span of its own, which fails with the error of the work.
   *
   * @param codeOf the code of an error
   */
  async trace<Result>(
    name: string,
    options: SpanOptions,
    work: (span: Span) => Promise<Result>,
    codeOf: (error: unknown) => string = errorCode,
  ): Promise<Result> {
    if (this.source === null) {
      return work(NO_SPAN);
    }
    const span = this.start(name, options);
    try {
      return await this.within(span, () => work(span));
    } catch (error) {
      span.fail(codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /**
   * Runs a background job in a trace of its own. Its span is only exported if the job did something or failed.
   *
   * @param counts what the job did, by name, from its result. Zeros: nothing
   */
  async traceJob<Result>(
    name: string,
    work: () => Promise<Result>,
    counts: (result: Result) => Record<string, number>,
  ): Promise<Result> {
    if (this.source === null) {
      return work();
    }
    const span = this.start(`job ${name}`, { parent: null });
    try {
      const result = await this.within(span, work);
      const counted = Object.entries(counts(result)).filter(([, count]) => count > 0);
      if (counted.length > 0) {
        span.set(Object.fromEntries(counted.map(([key, count]) => [`chat_service.job.${key}`, count])));
        span.end();
      }
      return result;
    } catch (error) {
      span.fail(errorCode(error));
      span.end();
      throw error;
    }
  }

  /** The header for a model provider, an MCP server, a guard or a webhook. Empty without tracing. */
  headersOf({ context }: Span = this.active): { traceparent?: string } {
    return context === null ? {} : { traceparent: formatTraceparent(context) };
  }

  /** Members of log lines. Empty without tracing. */
  logMembers({ context }: Span = this.active): { trace_id?: string; span_id?: string } {
    return context === null ? {} : { trace_id: context.traceId, span_id: context.spanId };
  }

  /** The account as spans name it. Undefined: spans do not name it. */
  userOf(userId: number): string | undefined {
    return this.config.TRACE_USER === 'none' ? undefined : String(userId);
  }

  /** The address of a trace in the tool of the administrators. Null: there is none. */
  urlOf(traceId: string | null): string | null {
    const { TRACE_URL } = this.config;
    return traceId === null || TRACE_URL === null ? null : TRACE_URL.replaceAll('{trace_id}', traceId);
  }

  /** Content as the text of an attribute. Undefined unless content is captured. */
  content(span: Span, value: () => unknown): string | undefined {
    if (!span.isRecording || !this.capturesContent) {
      return undefined;
    }
    const read = value();
    const text = typeof read === 'string' ? read : JSON.stringify(read ?? null);
    const bytes = Buffer.from(text);
    // A character that is cut in two is left out.
    return bytes.length <= MOST_CONTENT_BYTES
      ? text
      : new TextDecoder().decode(bytes.subarray(0, MOST_CONTENT_BYTES), { stream: true });
  }

  /** How an incoming request relates to the caller's trace. */
  contextOf(incoming: RemoteContext | null): Pick<SpanOptions, 'parent' | 'links'> {
    const { TRACE_CONTEXT } = this.config;
    // A preloaded instrumentation may have started a span for the request already.
    const outer = this.source?.outer() ?? null;
    if (incoming === null || TRACE_CONTEXT === 'off') {
      return { parent: outer };
    }
    return TRACE_CONTEXT === 'parent'
      ? { parent: outer ?? incoming }
      : { parent: null, links: [{ kind: 'request', context: incoming }] };
  }

  /** Last, so that the spans of the last requests are sent too. */
  async onApplicationShutdown(): Promise<void> {
    await this.source?.close();
  }
}

/** The code of an error for `error.type`: the service's own, otherwise the name of its class. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') {
    return code;
  }
  return error instanceof Error ? error.name : 'error';
}
