import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicWire, type Counts, openAiWire } from './invoice-wires';

/** The provider's prices, in millionths of a unit for a million tokens, or for each request. */
const CHARGES = {
  input: 1_234_567n,
  cached: 123_457n,
  written: 1_543_209n,
  output: 9_876_543n,
  reasoning: 11_111_111n,
  request: 17n,
};

/** From this number of prompt tokens, other prices apply to the whole request. */
const LONG_PROMPT = 200_001;
const LONG_CHARGES = { ...CHARGES, input: 2_469_134n, output: 19_753_086n };

const CUT_MILLISECONDS = 100;

/** The same prices as the service receives them. */
export const INVOICED_PRICE = {
  input: '1.234567',
  cached_input: '0.123457',
  cache_write: '1.543209',
  output: '9.876543',
  reasoning: '11.111111',
  per_request: '0.000017',
  tiers: [{ min_context: LONG_PROMPT, input: '2.469134', output: '19.753086' }],
};

/** A request that the provider accepted. */
export interface InvoiceLine {
  /** In pico-units; null if it sent no usage, or an incomplete one. */
  cost: bigint | null;
  /** The usage sent before the first token of a reply that was then cut; null: none. */
  early: Pick<Counts, 'input' | 'cached' | 'written'> | null;
}

/** How it handles a request, by the last message. */
const TREATMENTS = [
  'plain',
  'cached',
  'reasoned',
  'long',
  'busy',
  'refused',
  'cut',
  'uncounted',
  'left',
  'hanging',
  'silent',
] as const;

type Course = (typeof TREATMENTS)[number];

/** The requests that finish on their own. */
export const COURSES = [
  'plain',
  'cached',
  'reasoned',
  'long',
  'busy',
  'refused',
  'cut',
  'uncounted',
  'left',
] as const satisfies readonly Course[];

/** The model that always fails. */
export const FAILING_MODEL = 'failing';

/** A text in title requests, in addition to their subject. */
const TITLE = 'Assistant: ';

interface Asked {
  model: string;
  said: string;
  isAnthropic: boolean;
}

/** A model provider with OpenAI's and Anthropic's API that records what it will bill, with its own arithmetic. */
export class InvoicingProvider {
  readonly invoice: InvoiceLine[] = [];
  /** The last messages of all requests. */
  readonly asked: string[] = [];
  private readonly seen = new Map<string, number>();
  private count = 0;

  private constructor(
    private readonly server: Server,
    private readonly pace: number,
  ) {}

  /** @param pace milliseconds from the first token of a reply to the next */
  static async start(pace = 0): Promise<InvoicingProvider> {
    const server = createServer();
    const provider = new InvoicingProvider(server, pace);
    server.on('request', (request, response) => void provider.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get url(): string {
    return `${this.origin}/v1`;
  }

  get anthropicUrl(): string {
    return this.origin;
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    let text = '';
    for await (const part of request) {
      text += String(part);
    }
    const { messages = [], model = '' } = JSON.parse(text || '{}') as {
      messages?: { content: unknown }[];
      model?: string;
    };
    const said = JSON.stringify(messages.at(-1)?.content ?? '');
    this.asked.push(said);
    const course = courseOf(said);
    const times = (this.seen.get(said) ?? 0) + 1;
    this.seen.set(said, times);
    if (course === 'busy' && times === 1) {
      response.writeHead(429).end('{"error":{"message":"later"}}');
    } else if (course === 'refused' || model === FAILING_MODEL) {
      response.writeHead(501).end('{"error":{"message":"never"}}');
    } else if (course === 'silent') {
      response.once('close', () => this.note(null));
    } else if (course === 'left' && times === 1) {
      this.note(null);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      setTimeout(() => response.destroy(), CUT_MILLISECONDS);
    } else {
      await this.stream(response, { model, said, isAnthropic: request.url?.endsWith('/messages') ?? false }, course);
    }
  }

  private async stream(response: ServerResponse, { model, isAnthropic }: Asked, course: Course): Promise<void> {
    const usage = usageOf(course, ++this.count);
    const wire = isAnthropic ? anthropicWire(model, usage) : openAiWire(model, usage, course !== 'uncounted');
    const told = isAnthropic ? { input: usage.input, cached: usage.cached, written: usage.written } : null;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (course === 'hanging') {
      response.write(wire.begin);
      response.once('close', () => this.note(null, told));
      return;
    }
    response.write(wire.begin);
    if (this.pace > 0) {
      await delay(this.pace);
    }
    if (course === 'cut') {
      this.note(null, told);
      // After its client has read the head: a head that never arrived does not count as accepted.
      setTimeout(() => response.destroy(), CUT_MILLISECONDS);
      return;
    }
    const isHeard = !response.destroyed;
    this.note(isHeard && (course !== 'uncounted' || isAnthropic) ? charge(usage) : null, isHeard ? null : told);
    response.end(wire.end);
  }

  private note(cost: bigint | null, early: InvoiceLine['early'] = null): void {
    this.invoice.push({ cost, early });
  }
}

function courseOf(said: string): Course {
  const course = TREATMENTS.find((each) => said.includes(`course:${each}`)) ?? 'plain';
  // No user stops a title.
  return (course === 'hanging' || course === 'silent') && said.includes(TITLE) ? 'plain' : course;
}

/** Numbers that are different for each request. */
function usageOf(course: Course, count: number): Counts {
  const usage = { input: 1_000 + count * 7, cached: 0, written: 0, output: 13 + count, reasoning: 0 };
  switch (course) {
    case 'cached':
      return { ...usage, cached: 300 + count, written: 111 };
    case 'reasoned':
      return { ...usage, reasoning: 40 + count };
    case 'long':
      return { ...usage, input: LONG_PROMPT - 300, cached: 300 };
    default:
      return usage;
  }
}

/** Each type of token separately, as in an invoice. */
function charge({ input, cached, written, output, reasoning }: Counts): bigint {
  const prices = input + cached + written >= LONG_PROMPT ? LONG_CHARGES : CHARGES;
  return (
    BigInt(input) * prices.input +
    BigInt(cached) * prices.cached +
    BigInt(written) * prices.written +
    BigInt(output) * prices.output +
    BigInt(reasoning) * prices.reasoning +
    prices.request * 1_000_000n
  );
}
