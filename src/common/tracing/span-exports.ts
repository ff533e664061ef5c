import { Logger } from '@nestjs/common';
import { counter } from '../metrics/metrics';
import { withTimeout } from '../time';
import type { SpanExporter, SpanProcessor } from './open-telemetry-parts';
import { isSampled } from './trace-context';

/** How long the waiting spans are sent at a shutdown. */
const CLOSING_MILLISECONDS = 2_000;

/** OpenTelemetry's `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;

type DropReason = 'queue_full' | 'export_failed' | 'shutdown';

const REASONS: { reason: DropReason }[] = [
  { reason: 'queue_full' },
  { reason: 'export_failed' },
  { reason: 'shutdown' },
];

/** Counts the spans that are sent and those that are not, and logs when exports begin and stop to fail. */
export class SpanExports {
  private readonly logger = new Logger('Tracing');
  private readonly exported = counter(
    'otel_spans_exported_total',
    'Spans that the receiver of traces has accepted',
    [],
    [{}],
  );
  private readonly dropped = counter(
    'otel_spans_dropped_total',
    'Spans that were not sent, by the reason',
    ['reason'],
    REASONS,
  );
  /** Ended spans that no export has. */
  private waiting = 0;
  /** Spans of exports under way. */
  private underWay = 0;
  private isFailing = false;
  private isClosed = false;

  /** @param most the longest queue */
  constructor(private readonly most: number) {}

  /** A processor that counts what does not fit into the queue of another one. */
  counted(batches: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, context) => batches.onStart(span, context),
      onEnd: (span) => {
        if (!isSampled(span.spanContext())) {
          return;
        }
        if (this.isClosed || this.waiting >= this.most) {
          this.dropped.inc({ reason: this.isClosed ? 'shutdown' : 'queue_full' });
        } else {
          this.waiting++;
          batches.onEnd(span);
        }
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    };
  }

  /** An exporter whose results are counted. */
  reported(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => {
        this.waiting -= spans.length;
        this.underWay += spans.length;
        exporter.export(spans, (result) => {
          this.underWay -= spans.length;
          this.note(spans.length, result.code === SUCCESS ? null : (result.error ?? new Error('unknown')));
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }

  /** Sends the waiting spans. @param shutdown of the provider */
  async close(shutdown: () => Promise<void>): Promise<void> {
    const isInTime = await withTimeout(
      shutdown().then(
        () => true,
        () => true,
      ),
      CLOSING_MILLISECONDS,
      () => false,
    );
    this.isClosed = true;
    if (!isInTime) {
      const left = this.waiting + this.underWay;
      this.dropped.inc({ reason: 'shutdown' }, left);
      this.logger.warn({ spans: left }, 'Some spans were not sent before the end of the process.');
    }
  }

  private note(count: number, error: Error | null): void {
    if (this.isClosed) {
      return;
    }
    if (error === null) {
      this.exported.inc(count);
    } else {
      this.dropped.inc({ reason: 'export_failed' }, count);
    }
    if (this.isFailing !== (error !== null)) {
      this.isFailing = error !== null;
      if (error === null) {
        this.logger.log('Traces are sent again.');
      } else {
        this.logger.warn({ cause: reasonOf(error) }, 'Traces cannot be sent. The service drops them until it can.');
      }
    }
  }
}

/** The kind of the failure. The message may contain what the receiver has answered. */
function reasonOf(error: Error & { code?: unknown }): string {
  const { code } = error;
  return typeof code === 'number' ? `HTTP ${code}` : typeof code === 'string' ? code : error.message.slice(0, 200);
}
