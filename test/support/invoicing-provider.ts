import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the provider charges, in millionths of a unit for a million tokens, or for each request. */
const CHARGES = {
  input: 1_234_567n,
  cached: 123_457n,
  written: 1_543_209n,
  output: 9_876_543n,
  reasoning: 11_111_111n,
  request: 17n,
};

/** From so many tokens of the prompt on, other prices for all of it. */
const LONG_PROMPT = 200_001;
const LONG_CHARGES = { ...CHARGES, input: 2_469_134n, output: 19_753_086n };

/** The same as the service is told it. */
export const INVOICED_PRICE = {
  input: '1.234567',
  cached_input: '0.123457',
  cache_write: '1.543209',
  output: '9.876543',
  reasoning: '11.111111',
  per_request: '0.000017',
  tiers: [{ min_context: LONG_PROMPT, input: '2.469134', output: '19.753086' }],
};

/** A line of the invoice; null: the provider took the request, and told nothing of what it counted. */
export type InvoiceLine = bigint | null;

/** How it treats a request, by what the last message says. */
type Course = 'plain' | 'cached' | 'reasoned' | 'long' | 'busy' | 'refused' | 'cut' | 'uncounted';

export const COURSES: readonly Course[] = [
  'plain',
  'cached',
  'reasoned',
  'long',
  'busy',
  'refused',
  'cut',
  'uncounted',
];

/** A model provider of OpenAI's kind that writes down what it will bill, by an arithmetic of its own. */
export class InvoicingProvider {
  /** In pico-units. */
  readonly invoice: InvoiceLine[] = [];
  private readonly seen = new Map<string, number>();
  private count = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<InvoicingProvider> {
    const server = createServer();
    const provider = new InvoicingProvider(server);
    server.on('request', (request, response) => void provider.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
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
    const { messages = [], model } = JSON.parse(text || '{}') as { messages?: { content: unknown }[]; model?: string };
    const said = JSON.stringify(messages.at(-1)?.content ?? '');
    const course = COURSES.find((each) => said.includes(`course:${each}`)) ?? 'plain';
    const times = (this.seen.get(said) ?? 0) + 1;
    this.seen.set(said, times);
    if (course === 'busy' && times === 1) {
      response.writeHead(429).end('{"error":{"message":"later"}}');
    } else if (course === 'refused') {
      response.writeHead(501).end('{"error":{"message":"never"}}');
    } else {
      this.stream(response, model ?? '', course);
    }
  }

  private stream(response: ServerResponse, model: string, course: Course): void {
    const usage = usageOf(course, ++this.count);
    const event = (data: object): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model, ...data })}\n\n`;
    const delta = (content: string): string =>
      event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta('Hel') + delta('lo'));
    if (course === 'cut') {
      this.invoice.push(null);
      // Later than its client has read the head: what never arrived was not taken.
      setTimeout(() => response.destroy(), 100);
      return;
    }
    const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const isCounted = course !== 'uncounted';
    this.invoice.push(isCounted ? charge(usage) : null);
    response.end(`${end}${isCounted ? event({ choices: [], usage: toWire(usage) }) : ''}data: [DONE]\n\n`);
  }
}

interface Counts {
  input: number;
  cached: number;
  written: number;
  output: number;
  reasoning: number;
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

/** Each kind of token by itself, as an invoice lists them. */
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

/** OpenAI counts everything within prompt and completion. */
function toWire({ input, cached, written, output, reasoning }: Counts): object {
  const prompt_tokens = input + cached + written;
  const completion_tokens = output + reasoning;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
