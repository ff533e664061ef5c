import type { SpanContext } from './span';

/*
 * The parts of OpenTelemetry's packages that the service uses. The packages are optional: Node.js 20 does not install
 * them, and the service must compile there too.
 */

/** OpenTelemetry's `Attributes`. */
export type Attributes = Record<string, string | number | boolean | readonly string[]>;

/** A context of the API. Its form is unknown. */
export interface ApiContext {
  readonly __context: unique symbol;
}

export interface ApiSpanContext extends SpanContext {
  readonly traceState?: unknown;
}

export interface ApiLink {
  context: ApiSpanContext;
  attributes: Attributes;
}

export interface ApiSpan {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttribute(name: string, value: string): unknown;
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string, attributes: Attributes): unknown;
  addLink(link: ApiLink): unknown;
  updateName(name: string): unknown;
  setStatus(status: { code: number }): unknown;
  end(at?: number): void;
}

export interface ApiTracer {
  startSpan(
    name: string,
    options: { kind: number; attributes: Attributes; links: ApiLink[]; startTime?: number },
    context: ApiContext,
  ): ApiSpan;
}

export interface ApiTracerProvider {
  getTracer(name: string, version: string, options: { schemaUrl: string }): ApiTracer;
}

/** `@opentelemetry/api`. */
export interface OpenTelemetryApi {
  ROOT_CONTEXT: ApiContext;
  SpanKind: { INTERNAL: number; SERVER: number; CLIENT: number };
  SpanStatusCode: { ERROR: number };
  createTraceState(text: string): unknown;
  context: { active(): ApiContext; with<Result>(context: ApiContext, work: () => Result): Result };
  trace: {
    getActiveSpan(): ApiSpan | undefined;
    getTracerProvider(): ApiTracerProvider;
    setSpanContext(context: ApiContext, span: ApiSpanContext): ApiContext;
  };
}

/** An ended span, which only the packages look into. */
export interface ReadableSpan {
  spanContext(): SpanContext;
}

export interface SpanProcessor {
  onStart(span: ReadableSpan, context: ApiContext): void;
  onEnd(span: ReadableSpan): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface SpanExporter {
  export(spans: ReadableSpan[], done: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

/** A sampler, which only the packages call. */
export interface Sampler {
  shouldSample(...facts: unknown[]): unknown;
}

/** `@opentelemetry/sdk-trace`. */
export interface OpenTelemetrySdk {
  AlwaysOffSampler: new () => Sampler;
  AlwaysOnSampler: new () => Sampler;
  ParentBasedSampler: new (options: { root: Sampler }) => Sampler;
  TraceIdRatioBasedSampler: new (ratio: number) => Sampler;
  BatchSpanProcessor: new (options: {
    exporter: SpanExporter;
    scheduledDelayMillis: number;
    exportTimeoutMillis: number;
    maxQueueSize: number;
    maxExportBatchSize: number;
  }) => SpanProcessor;
  TracerProvider: new (options: {
    resource: object;
    sampler: Sampler;
    spanProcessors: SpanProcessor[];
    spanLimits?: { attributeValueLengthLimit: number };
  }) => ApiTracerProvider & { shutdown(): Promise<void> };
}

/** `@opentelemetry/resources`. */
export interface OpenTelemetryResources {
  resourceFromAttributes: (attributes: Attributes) => object;
}

/** `@opentelemetry/exporter-trace-otlp-proto` and `-http`. */
export interface OpenTelemetryExporter {
  OTLPTraceExporter: new (options: {
    url: string | undefined;
    headers: Record<string, string>;
    timeoutMillis: number;
    compression: 'gzip' | 'none';
    httpAgentOptions: { keepAlive: boolean; ca?: Buffer };
  }) => SpanExporter;
}
