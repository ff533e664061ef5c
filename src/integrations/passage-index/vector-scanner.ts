import { Worker } from 'node:worker_threads';
import type { ScannedQuery, ScanReply, ScanRequest, ScanResult } from './vector-scan.worker';

/** A segment as it is stored. */
export interface StoredSegment {
  segmentId: number;
  count: number;
  data: Uint8Array;
}

export interface VectorScan {
  queries: ScannedQuery[];
  /** Only their vectors count. */
  ingestionIds: Int32Array;
  /** How many vectors to return for each query. */
  most: number;
}

/**
 * Compares queries with segments in a thread, so that the event loop does not wait. The thread starts with the first
 * scan, and keeps the segments that were used last in memory.
 */
export class VectorScanner {
  private worker: Worker | null = null;
  /** Callers that wait for replies, in the order of their requests. */
  private waiting: { resolve: (reply: ScanReply) => void; reject: (error: Error) => void }[] = [];
  private scans = 0;
  /** Bytes of the segments in memory. */
  memoryBytes = 0;

  /** @param mostBytes of segments in memory */
  constructor(private readonly mostBytes: number) {}

  /**
   * @param list reads the ids of all segments
   * @param load reads a segment that is not in memory; null if another instance has merged it
   */
  async scan(
    request: VectorScan,
    list: () => Promise<number[]>,
    load: (segmentId: number) => Promise<StoredSegment | null>,
  ): Promise<ScanResult[]> {
    const scan = ++this.scans;
    const seen = new Set<number>();
    const worker = (this.worker ??= this.start());
    let results: ScanResult[] = [];
    try {
      // A merged segment has vectors of others, of which some were compared already.
      for (let isComplete = false; !isComplete;) {
        const segmentIds = (await list()).filter((id) => !seen.has(id));
        segmentIds.forEach((id) => seen.add(id));
        const begun = (await this.ask({ kind: 'begin', scan, segmentIds, ...request })) as { missing: number[] };
        isComplete = await this.readMissing(scan, begun.missing, load);
      }
    } finally {
      const ended = (await this.ask({ kind: 'end', scan })) as { results: ScanResult[]; memoryBytes: number };
      this.memoryBytes = ended.memoryBytes;
      results = ended.results;
    }
    if (this.worker !== worker) {
      // Another thread has started since the scan began.
      throw new ThreadEndedError();
    }
    return results;
  }

  /** @returns whether each segment still existed */
  private async readMissing(
    scan: number,
    segmentIds: readonly number[],
    load: (segmentId: number) => Promise<StoredSegment | null>,
  ): Promise<boolean> {
    let isComplete = true;
    for (const segmentId of segmentIds) {
      const segment = await load(segmentId);
      if (segment === null) {
        isComplete = false;
      } else {
        const data = wholeBuffer(segment.data);
        await this.ask({ kind: 'segment', scan, segmentId, count: segment.count, data }, [data]);
      }
    }
    return isComplete;
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private ask(request: ScanRequest, transferred: ArrayBuffer[] = []): Promise<ScanReply> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.postMessage(request, transferred);
    });
  }

  private start(): Worker {
    const worker = new Worker(require.resolve('./vector-scan.worker'), { workerData: this.mostBytes });
    worker.unref();
    worker.on('message', (reply: ScanReply) => this.waiting.shift()?.resolve(reply));
    // An error ends the thread, and `exit` fails the waiting callers. The next scan starts another thread.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.worker = null;
      this.memoryBytes = 0;
      const failed = this.waiting.splice(0);
      failed.forEach(({ reject }) => reject(new ThreadEndedError()));
    });
    return worker;
  }
}

/** A buffer that can be transferred: drivers may return a part of a larger one. */
function wholeBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : new Uint8Array(bytes).buffer;
}

class ThreadEndedError extends Error {
  override readonly message = 'The thread that compares vectors ended.';
}
