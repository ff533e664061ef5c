/** The identity of a span (W3C Trace Context). It has the form of OpenTelemetry's `SpanContext`. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** 1: the trace is sampled. */
  readonly traceFlags: number;
  /** Whether another process has started the span. */
  readonly isRemote?: boolean;
}

/** An incoming span context with its `tracestate`, which the service never sends. */
export interface RemoteContext extends SpanContext {
  readonly state?: string;
}

export type SpanValue = string | number | boolean | readonly string[];

/** Absent and null values are left out. */
export type SpanAttributes = Readonly<Record<string, SpanValue | null | undefined>>;

/**
 * Why a span refers to one that is not its parent. `caused`: the change that a webhook reports. `request`: the request
 * whose context is not continued (`TRACE_CONTEXT=link`).
 */
export type LinkKind = 'continues' | 'joins' | 'started' | 'caused' | 'request';

export interface SpanLink {
  readonly kind: LinkKind;
  readonly context: RemoteContext;
}

export interface SpanOptions {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client';
  attributes?: SpanAttributes;
  /** Absent: the active span. Null: a new trace. */
  parent?: RemoteContext | null;
  links?: readonly SpanLink[];
  /** Unix milliseconds. Default: now. */
  startedAt?: number;
}

/** A unit of work in a trace. Without tracing, its methods do nothing. */
export interface Span {
  /** Null without tracing. */
  readonly context: SpanContext | null;
  /** False without tracing, and for a trace that is not sampled: attributes need not be computed. */
  readonly isRecording: boolean;
  set(attributes: SpanAttributes): void;
  addEvent(name: string, attributes: SpanAttributes): void;
  addLink(link: SpanLink): void;
  rename(name: string): void;
  /** Marks it as failed. @param code an error code of the service, never a text */
  fail(code: string): void;
  /** A span that is never ended is never exported. @param at Unix milliseconds. Default: now */
  end(at?: number): void;
}

/** The span without tracing. */
export const NO_SPAN: Span = {
  context: null,
  isRecording: false,
  set: () => undefined,
  addEvent: () => undefined,
  addLink: () => undefined,
  rename: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** What tracing is made of. OpenTelemetry's packages are behind it. */
export interface SpanSource {
  start(name: string, options: SpanOptions & { parent: RemoteContext | null }): Span;
  /** Runs work so that other libraries of the process see the span as the active one. */
  within<Result>(context: SpanContext, work: () => Result): Result;
  /** The active span of other libraries. Null: none. */
  outer(): RemoteContext | null;
  /** Sends the waiting spans, within a time limit. */
  close(): Promise<void>;
}
