import type { RemoteContext, SpanContext } from './span';

/** Version 00 has no further fields. Later versions may append some (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const SAMPLED = 1;

/** Null if the header is absent or malformed. */
export function parseTraceparent(header: unknown): RemoteContext | null {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  if (match === null) {
    return null;
  }
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) {
    return null;
  }
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & SAMPLED}`;
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & SAMPLED) === SAMPLED;
}
