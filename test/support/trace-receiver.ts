import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { eventually } from './eventually';
import { decodeTraces } from './otlp-protobuf';

interface RawAttribute {
  key: string;
  value: {
    stringValue?: string;
    intValue?: number | string;
    doubleValue?: number;
    boolValue?: boolean;
    arrayValue?: { values?: RawAttribute['value'][] };
  };
}

interface RawSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: RawAttribute[];
  events?: { name: string; attributes?: RawAttribute[] }[];
  links?: { traceId: string; spanId: string; attributes?: RawAttribute[] }[];
  status?: { code?: number; message?: string };
}

/** A span as the receiver got it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parent: string | null;
  name: string;
  kind: number;
  ms: number;
  isError: boolean;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  links: { traceId: string; spanId: string; kind: unknown }[];
}

/** How the receiver answers. */
export type Answer = 'ok' | 'hang' | 'fail' | 'garbage';

/** A server that receives OTLP over HTTP, in protobuf and in JSON. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: {
    path: string;
    headers: IncomingHttpHeaders;
    resource: Record<string, unknown>;
    schemaUrl: string;
  }[] = [];
  answer: Answer = 'ok';
  /** All that was received, to look for text in it. */
  text = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (receiver.answer === 'hang') return;
        if (receiver.answer === 'fail') {
          response.writeHead(400).end('no');
          return;
        }
        receiver.read(request.url ?? '', request.headers, Buffer.concat(chunks));
        response.writeHead(200).end(receiver.answer === 'garbage' ? Buffer.alloc(64, 255) : '');
      });
    });
    const receiver = new TraceReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits for a span. */
  async find(wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    return eventually(() => Promise.resolve(this.spans.find(wanted)), 10);
  }

  /** Waits until a trace has a span of this name, and returns all its spans. */
  async trace(traceId: string, name: string): Promise<ReceivedSpan[]> {
    await this.find((span) => span.traceId === traceId && span.name === name);
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private read(path: string, headers: IncomingHttpHeaders, sent: Buffer): void {
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const isJson = headers['content-type'] === 'application/json';
    this.text += bytes.toString('utf8');
    const { resourceSpans } = (isJson ? JSON.parse(bytes.toString('utf8')) : decodeTraces(bytes)) as {
      resourceSpans: {
        resource: { attributes: RawAttribute[] };
        scopeSpans: { spans: RawSpan[]; schemaUrl: string }[];
      }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { spans, schemaUrl } of scopeSpans) {
        this.requests.push({ path, headers, resource: attributesOf(resource.attributes), schemaUrl });
        this.spans.push(...spans.map(toSpan));
      }
    }
  }
}

function toSpan(raw: RawSpan): ReceivedSpan {
  return {
    traceId: raw.traceId,
    spanId: raw.spanId,
    parent: raw.parentSpanId === undefined || raw.parentSpanId === '' ? null : raw.parentSpanId,
    name: raw.name,
    kind: raw.kind,
    ms: Number((BigInt(raw.endTimeUnixNano) - BigInt(raw.startTimeUnixNano)) / 1_000_000n),
    isError: raw.status?.code === 2,
    attributes: attributesOf(raw.attributes),
    events: (raw.events ?? []).map(({ name, attributes }) => ({ name, attributes: attributesOf(attributes) })),
    links: (raw.links ?? []).map(({ traceId, spanId, attributes }) => ({
      traceId,
      spanId,
      kind: attributesOf(attributes)['chat_service.link'],
    })),
  };
}

function attributesOf(raw: RawAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(raw.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: RawAttribute['value']): unknown {
  return (
    stringValue ??
    (intValue === undefined ? undefined : Number(intValue)) ??
    doubleValue ??
    boolValue ??
    (arrayValue?.values ?? []).map(valueOf)
  );
}

/** Settings with which the service sends its traces to the receiver. */
export function tracedBy(receiver: TraceReceiver): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '20' };
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Whether this Node.js can load OpenTelemetry's packages. */
export const CAN_TRACE = major > 22 || (major === 22 && minor >= 15);
