import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';

/* The thread of `VectorScanner`: compares queries with segments. This file imports nothing of the service. */

/** A query as whole numbers, and what one of them stands for. */
export interface ScannedQuery {
  scale: number;
  row: Int8Array;
}

/** Ids of the vectors with the highest scores. */
export interface ScanResult {
  passageIds: Int32Array;
  scores: Float32Array;
}

export type ScanRequest =
  /** Starts or continues a scan with the segments that are in memory. The reply is the ids of the others. */
  | {
      kind: 'begin';
      scan: number;
      queries: ScannedQuery[];
      ingestionIds: Int32Array;
      most: number;
      segmentIds: number[];
    }
  /** Continues it with a segment. The reply is empty. */
  | { kind: 'segment'; scan: number; segmentId: number; data: ArrayBuffer; count: number }
  /** Ends it. The reply is the results for each query, and the bytes in memory. */
  | { kind: 'end'; scan: number };

export type ScanReply = { missing: number[] } | { results: ScanResult[]; memoryBytes: number } | Record<string, never>;

interface Segment {
  data: ArrayBuffer;
  count: number;
}

/** Writes the products of a query (numbers of 16 bits) and of each row from `row` to `end` to `out`. */
type Products = (query: number, row: number, end: number, size: number, out: number) => void;

/** `products.wat` as WebAssembly. */
const PRODUCTS =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcVAgZtZW1vcnkCAAhwcm9kdWN0cwAACqgBAaUBAgF/AnsCQANAIAEgAk8NAf0MAAAAAAAAAAAAAAAA' +
  'AAAAACEGQQAhBQNAIAEgBWr9AAQAIQcgBiAH/YcBIAAgBUEBdGr9AAQA/boBIAf9iAEgACAFQQF0av0ABBD9ugH9rgH9rgEhBiAFQRBqIQUgBSADSQ0A' +
  'CyAEIAb9GwAgBv0bAWogBv0bAiAG/RsDamo2AgAgBEEEaiEEIAEgA2ohAQwACwsL';

const PAGE_BYTES = 65_536;

interface KernelExports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  products: Products;
}

/** The part of WebAssembly that this file needs. TypeScript declares it only for browsers. */
const { Instance, Module } = (
  globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object) => { exports: KernelExports };
    };
  }
).WebAssembly;

/** Compares a query with all rows of a segment. */
export interface Kernel {
  /** Loads the rows of the next comparisons. */
  load(rows: Int8Array, size: number): void;
  /** The product of the query and each row. */
  products(query: Int8Array): Int32Array;
}

/** With the processor's instructions for 16 numbers at once. */
export class WasmKernel implements Kernel {
  static readonly code = Buffer.from(PRODUCTS, 'base64');
  private readonly wasm: KernelExports;
  private size = 0;
  private rows = 0;

  constructor() {
    this.wasm = new Instance(new Module(WasmKernel.code)).exports;
  }

  load(rows: Int8Array, size: number): void {
    this.size = size;
    this.rows = rows.length;
    const missing = this.outAt + 4 * (rows.length / size) - this.wasm.memory.buffer.byteLength;
    if (missing > 0) {
      this.wasm.memory.grow(Math.ceil(missing / PAGE_BYTES));
    }
    new Int8Array(this.wasm.memory.buffer).set(rows, this.rowsAt);
  }

  products(query: Int8Array): Int32Array {
    new Int16Array(this.wasm.memory.buffer).set(query, 0);
    this.wasm.products(0, this.rowsAt, this.outAt, this.size, this.outAt);
    return new Int32Array(this.wasm.memory.buffer, this.outAt, this.rows / this.size);
  }

  private get rowsAt(): number {
    return 2 * this.size;
  }

  private get outAt(): number {
    return this.rowsAt + this.rows;
  }
}

/** For processors without these instructions. */
export class PlainKernel implements Kernel {
  private rows: Int8Array = new Int8Array();
  private size = 0;

  load(rows: Int8Array, size: number): void {
    this.rows = rows;
    this.size = size;
  }

  products(query: Int8Array): Int32Array {
    const products = new Int32Array(this.rows.length / this.size);
    for (let at = 0; at < this.rows.length; at += this.size) {
      let sum = 0;
      for (let index = 0; index < this.size; index++) {
        sum += query[index]! * this.rows[at + index]!;
      }
      products[at / this.size] = sum;
    }
    return products;
  }
}

/** The highest scores so far. */
class Best {
  private ids: number[] = [];
  private scores: number[] = [];
  private worst = -Infinity;

  constructor(private readonly most: number) {}

  add(passageId: number, score: number): void {
    if (score > this.worst) {
      this.ids.push(passageId);
      this.scores.push(score);
      if (this.ids.length >= 4 * this.most) {
        this.cut();
      }
    }
  }

  result(): ScanResult {
    this.cut();
    return { passageIds: Int32Array.from(this.ids), scores: Float32Array.from(this.scores) };
  }

  private cut(): void {
    const { ids, scores } = this;
    const order = [...ids.keys()].sort((one, other) => scores[other]! - scores[one]! || ids[one]! - ids[other]!);
    // A vector may be in two segments, if one was merged into the other during the scan.
    const kept = order.filter((at, place) => ids[at] !== ids[order[place - 1] ?? -1]).slice(0, this.most);
    this.ids = kept.map((at) => ids[at]!);
    this.scores = kept.map((at) => scores[at]!);
    this.worst = this.ids.length < this.most ? -Infinity : this.scores.at(-1)!;
  }
}

/** A running comparison of queries with segments. */
export class Scan {
  private readonly ingestionIds: Set<number>;
  private readonly best: Best[];

  constructor(
    private readonly kernel: Kernel,
    private readonly queries: readonly ScannedQuery[],
    ingestionIds: Int32Array,
    most: number,
  ) {
    this.ingestionIds = new Set(ingestionIds);
    this.best = queries.map(() => new Best(most));
  }

  /** Only vectors of the searched ingestions count. */
  read({ data, count }: Segment): void {
    const passageIds = new Int32Array(data, 0, count);
    const searched = this.searchedRows(new Int32Array(data, 4 * count, count));
    if (searched.length === 0) {
      return;
    }
    const scales = new Float32Array(data, 8 * count, count);
    const rows = new Int8Array(data, 12 * count);
    this.kernel.load(rows, rows.length / count);
    this.queries.forEach(({ row, scale }, index) => {
      const products = this.kernel.products(row);
      const best = this.best[index]!;
      for (const at of searched) {
        best.add(passageIds[at]!, products[at]! * scales[at]! * scale);
      }
    });
  }

  results(): ScanResult[] {
    return this.best.map((best) => best.result());
  }

  private searchedRows(ofRows: Int32Array): Int32Array {
    const searched = new Int32Array(ofRows.length);
    let count = 0;
    let isSearched = false;
    for (let at = 0; at < ofRows.length; at++) {
      if (at === 0 || ofRows[at] !== ofRows[at - 1]) {
        isSearched = this.ingestionIds.has(ofRows[at]!);
      }
      if (isSearched) {
        searched[count++] = at;
      }
    }
    return searched.subarray(0, count);
  }
}

function newKernel(): Kernel {
  try {
    return new WasmKernel();
  } catch {
    return new PlainKernel();
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const kernel = newKernel();
  const scans = new Map<number, Scan>();
  const segments = new LRUCache<number, Segment>({
    maxSize: Math.max(1, workerData as number),
    sizeCalculation: ({ data }) => data.byteLength,
  });
  const reply = (request: ScanRequest): ScanReply => {
    if (request.kind === 'begin') {
      const scan = scans.get(request.scan) ?? new Scan(kernel, request.queries, request.ingestionIds, request.most);
      scans.set(request.scan, scan);
      const missing = request.segmentIds.filter((id) => {
        const segment = segments.get(id);
        if (segment !== undefined) {
          scan.read(segment);
        }
        return segment === undefined;
      });
      return { missing };
    }
    const scan = scans.get(request.scan);
    if (request.kind === 'segment') {
      const { segmentId, data, count } = request;
      segments.set(segmentId, { data, count });
      scan?.read({ data, count });
      return {};
    }
    scans.delete(request.scan);
    return { results: scan?.results() ?? [], memoryBytes: segments.calculatedSize };
  };
  port.on('message', (request: ScanRequest) => port.postMessage(reply(request)));
}
