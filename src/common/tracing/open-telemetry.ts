import { readFileSync } from 'node:fs';
import { OperatorError } from '../../config/operator.error';
import { loadPackage } from '../load-package';
import { SERVICE_VERSION } from '../service-version';
import { ATTRIBUTES, SCHEMA_URL } from './conventions';
import type {
  ApiLink,
  ApiSpan,
  ApiSpanContext,
  ApiTracer,
  ApiTracerProvider,
  Attributes,
  OpenTelemetryApi,
  OpenTelemetryExporter,
  OpenTelemetryResources,
  OpenTelemetrySdk,
  Sampler,
} from './open-telemetry-parts';
import { preloadedTracers } from './preloaded-tracers';
import type { RemoteContext, Span, SpanAttributes, SpanContext, SpanLink, SpanSource } from './span';
import { SpanExports } from './span-exports';
import type { TracingConfig } from './tracing.config';

const SCOPE = 'chat-service';

const [LEAST_MAJOR, LEAST_MINOR] = [22, 15];

/** Tracing is configured, and this installation cannot do it. */
export class TracingUnavailableError extends OperatorError {
  override readonly name = 'TracingUnavailableError';
}

/**
 * Loads OpenTelemetry.
 *
 * @throws TracingUnavailableError
 */
export function openTelemetry(config: TracingConfig): SpanSource {
  // The API alone also runs on older versions.
  if (preloadedTracers() !== null) {
    const api = load('@opentelemetry/api') as OpenTelemetryApi;
    return new OpenTelemetrySpans(api, api.trace.getTracerProvider(), null);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < LEAST_MAJOR || (major === LEAST_MAJOR && minor < LEAST_MINOR)) {
    throw new TracingUnavailableError(
      `Traces need Node.js ${LEAST_MAJOR}.${LEAST_MINOR} or later, and this is ${process.versions.node}. Update ` +
        'Node.js, or unset OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.',
    );
  }
  const api = load('@opentelemetry/api') as OpenTelemetryApi;
  const exports = new SpanExports(config.OTEL_BSP_MAX_QUEUE_SIZE);
  const provider = newProvider(config, exports);
  return new OpenTelemetrySpans(api, provider, () => exports.close(() => provider.shutdown()));
}

function load(name: string): unknown {
  try {
    return loadPackage(name);
  } catch (error) {
    throw new TracingUnavailableError(
      `Traces need the package ${name}, which is not installed. Install the optional dependencies of the service ` +
        '(npm ci without --omit=optional), or unset OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.',
      { cause: error },
    );
  }
}

function newProvider(config: TracingConfig, exports: SpanExports): InstanceType<OpenTelemetrySdk['TracerProvider']> {
  const { BatchSpanProcessor, TracerProvider } = load('@opentelemetry/sdk-trace') as OpenTelemetrySdk;
  const { resourceFromAttributes } = load('@opentelemetry/resources') as OpenTelemetryResources;
  const { isJson, isCompressed, headers, timeoutMilliseconds, certificate } = config;
  const { OTLPTraceExporter } = load(
    isJson ? '@opentelemetry/exporter-trace-otlp-http' : '@opentelemetry/exporter-trace-otlp-proto',
  ) as OpenTelemetryExporter;
  const exporter = new OTLPTraceExporter({
    url: config.endpoint ?? undefined,
    headers,
    timeoutMillis: timeoutMilliseconds,
    compression: isCompressed ? 'gzip' : 'none',
    httpAgentOptions: { keepAlive: true, ...(certificate !== null && { ca: readCertificate(certificate) }) },
  });
  const batches = new BatchSpanProcessor({
    exporter: exports.reported(exporter),
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
    maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
  });
  const limit = config.OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT;
  return new TracerProvider({
    resource: resourceFromAttributes({
      [ATTRIBUTES.serviceVersion]: SERVICE_VERSION,
      ...config.resourceAttributes,
      [ATTRIBUTES.serviceName]: config.OTEL_SERVICE_NAME,
    }),
    sampler: newSampler(config),
    spanProcessors: [exports.counted(batches)],
    ...(limit !== null && { spanLimits: { attributeValueLengthLimit: Number(limit) } }),
  });
}

function readCertificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TracingUnavailableError(
      `The file of OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

function newSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig): Sampler {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = load(
    '@opentelemetry/sdk-trace',
  ) as OpenTelemetrySdk;
  const [, root = name] = /^parentbased_(.+)$/.exec(name) ?? [];
  const sampler =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return root === name ? sampler : new ParentBasedSampler({ root: sampler });
}

/** Spans of an OpenTelemetry provider: the service's own, or a preloaded one. */
class OpenTelemetrySpans implements SpanSource {
  private readonly tracer: ApiTracer;

  /** @param end null: the provider belongs to a preloaded script, which also sends its spans */
  constructor(
    private readonly api: OpenTelemetryApi,
    provider: ApiTracerProvider,
    private readonly end: (() => Promise<void>) | null,
  ) {
    this.tracer = provider.getTracer(SCOPE, SERVICE_VERSION, { schemaUrl: SCHEMA_URL });
  }

  start(
    name: string,
    { kind = 'internal', parent, attributes = {}, links = [], startedAt }: Parameters<SpanSource['start']>[1],
  ): Span {
    const { ROOT_CONTEXT, SpanKind, trace } = this.api;
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, this.toApi(parent));
    const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };
    const span = this.tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes: presentAttributes(attributes),
        links: links.map((link) => this.toApiLink(link)),
        ...(startedAt !== undefined && { startTime: startedAt }),
      },
      context,
    );
    return new OpenTelemetrySpan(span, this.api, (link) => this.toApiLink(link));
  }

  within<Result>(context: SpanContext, work: () => Result): Result {
    if (this.end !== null) {
      return work();
    }
    const { context: contexts, trace } = this.api;
    return contexts.with(trace.setSpanContext(contexts.active(), context), work);
  }

  outer(): RemoteContext | null {
    return this.end === null ? (this.api.trace.getActiveSpan()?.spanContext() ?? null) : null;
  }

  async close(): Promise<void> {
    await this.end?.();
  }

  private toApi({ state, ...context }: RemoteContext): ApiSpanContext {
    return state === undefined ? context : { ...context, traceState: this.api.createTraceState(state) };
  }

  private toApiLink({ kind, context }: SpanLink): ApiLink {
    return { context: this.toApi(context), attributes: { [ATTRIBUTES.link]: kind } };
  }
}

class OpenTelemetrySpan implements Span {
  readonly context: SpanContext;
  readonly isRecording: boolean;

  constructor(
    private readonly span: ApiSpan,
    private readonly api: OpenTelemetryApi,
    private readonly toApiLink: (link: SpanLink) => ApiLink,
  ) {
    this.context = span.spanContext();
    this.isRecording = span.isRecording();
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(presentAttributes(attributes));
  }

  addEvent(name: string, attributes: SpanAttributes): void {
    this.span.addEvent(name, presentAttributes(attributes));
  }

  addLink(link: SpanLink): void {
    this.span.addLink(this.toApiLink(link));
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  fail(code: string): void {
    this.span.setAttribute(ATTRIBUTES.errorType, code);
    this.span.setStatus({ code: this.api.SpanStatusCode.ERROR });
  }

  end(at?: number): void {
    this.span.end(at);
  }
}

function presentAttributes(attributes: SpanAttributes): Attributes {
  const present: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) {
      present[name] = value;
    }
  }
  return present;
}
