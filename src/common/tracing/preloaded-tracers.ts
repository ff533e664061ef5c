/** What a preloaded script has registered with OpenTelemetry's API. */
export interface PreloadedTracers {
  /** The API's `TracerProvider`. */
  readonly trace: unknown;
  /** The API's `ContextManager`; absent: none. */
  readonly context?: unknown;
}

const GLOBAL = Symbol.for('opentelemetry.js.api.1');

/** Looks where OpenTelemetry's API keeps its globals, without loading it. Null: no tracer provider is registered. */
export function preloadedTracers(): PreloadedTracers | null {
  const api = (globalThis as Record<symbol, Partial<PreloadedTracers> | undefined>)[GLOBAL];
  return api?.trace === undefined ? null : { trace: api.trace, context: api.context };
}
