// @databases sqlite: random requests to the validation
// @part rest: sends thousands of random requests
import { createAdmin } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { call } from '../support/http';
import { mutated, Random } from '../support/random';
import { databaseEngine } from '../support/servers/test-database';
import { useChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** Enough for every run; a release tests 5,000 (`npm run test:release`). */
const REQUESTS = Number(process.env.RANDOM_REQUESTS ?? 1_500);
const LANES = 4;
/** Each engine tests different requests. The test name contains the seed; as RANDOM_SEED it repeats them. */
const SEED = Number(
  process.env.RANDOM_SEED ?? { sqlite: 20_261_122, mariadb: 20_262_233, mysql: 20_263_344 }[databaseEngine()],
);

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

/** Valid requests before they are corrupted. */
const COMPLETIONS: object[] = [
  { messages: [{ role: 'user', content: 'Hello' }], stream: true, stream_options: { include_usage: true } },
  {
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: PNG } },
        ],
      },
    ],
    temperature: 1,
    stop: ['a', 'b'],
    max_tokens: 10,
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA, strict: true } },
  },
  {
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: SCHEMA } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: true,
  },
];

const RESPONSES: object[] = [
  { input: 'Hello', stream: true, metadata: { a: 'b' } },
  {
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Be kind.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: PNG, detail: 'low' },
        ],
      },
    ],
    store: false,
    max_output_tokens: 20,
    text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA } },
  },
  {
    input: [
      { role: 'user', content: 'Weather?' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'rain' },
    ],
    tools: [{ type: 'function', name: 'f', parameters: SCHEMA }],
    tool_choice: 'auto',
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low' },
  },
];

const ITEMS = { items: [{ type: 'message', role: 'user', content: 'Hello' }] };

describe('random requests below /openai/v1', () => {
  const app = useChatApp();
  let model: string;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  /** The number of answers with each status. */
  const counts = new Map<number, number>();

  /** Ids from answers, and some unknown ones. */
  class Lane {
    private readonly ids: Record<'resp' | 'conv' | 'msg', string[]> = {
      resp: ['resp_1'],
      conv: ['conv_1'],
      msg: ['msg_1'],
    };

    constructor(
      private readonly random: Random,
      private readonly client: ChatClient,
    ) {}

    async run(count: number): Promise<string[]> {
      const faults: string[] = [];
      for (let index = 0; index < count; index++) {
        const { method, path, body, headers } = this.request();
        const url = `${app.origin}/openai/v1${path}`;
        const answer = await call(url, { method, body, headers, token: this.client.token });
        if (answer.status === 404 || method === 'DELETE') {
          this.forget(path);
        } else if (answer.status === 200) {
          this.remember(answer.text);
        }
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        const isFailure = answer.status >= 400;
        if (answer.status >= 500 || (isFailure && !isOpenAiError(answer.body))) {
          faults.push(
            `${method} ${path} ${JSON.stringify(body ?? null).slice(0, 1_000)}: ${answer.status} ${answer.text.slice(0, 300)}`,
          );
        }
      }
      return faults;
    }

    private request(): { method: string; path: string; body?: unknown; headers?: Record<string, string> } {
      const { random } = this;
      const [method, path, skeleton] = random.pick<[string, string, object?]>([
        ['GET', '/models'],
        [
          'GET',
          `/models/${encodeURIComponent(random.next() < 0.5 ? model : JSON.stringify(mutated(model, random)).slice(0, 300))}`,
        ],
        ['POST', '/chat/completions', { model, ...random.pick(COMPLETIONS) }],
        ['POST', '/chat/completions', { model, ...random.pick(COMPLETIONS) }],
        ['POST', '/responses', { model, ...random.pick(RESPONSES), ...this.place() }],
        ['POST', '/responses', { model, ...random.pick(RESPONSES), ...this.place() }],
        [
          'GET',
          `/responses/${this.id('resp')}${random.pick(['', '?stream=true', '?stream=true&starting_after=2', '?stream=maybe'])}`,
        ],
        [
          'GET',
          `/responses/${this.id('resp')}/input_items${random.pick(['', '?limit=2&order=asc', '?limit=x', '?after=msg_1'])}`,
        ],
        ['POST', `/responses/${this.id('resp')}/cancel`, {}],
        ['DELETE', `/responses/${this.id('resp')}`],
        ['POST', '/conversations', { metadata: { a: 'b' }, ...ITEMS }],
        ['GET', `/conversations/${this.id('conv')}`],
        ['POST', `/conversations/${this.id('conv')}`, { metadata: { a: 'c' } }],
        ['DELETE', `/conversations/${this.id('conv')}`],
        ['GET', `/conversations/${this.id('conv')}/items${random.pick(['', '?limit=0', '?order=up', '?limit=3'])}`],
        ['POST', `/conversations/${this.id('conv')}/items`, ITEMS],
        ['GET', `/conversations/${this.id('conv')}/items/${this.id('msg')}`],
        ['DELETE', `/conversations/${this.id('conv')}/items/${this.id('msg')}`],
      ]);
      const headers: Record<string, string> = random.next() < 0.05 ? { 'idempotency-key': `k${random.below(5)}` } : {};
      return { method, path, headers, ...(skeleton && { body: mutated(skeleton, random) }) };
    }

    /** The previous response, mostly absent. */
    private place(): object {
      const { random } = this;
      return random.pick([
        {},
        {},
        { previous_response_id: this.id('resp') },
        { conversation: this.id('conv') },
        { conversation: { id: this.id('conv') }, background: true },
      ]);
    }

    private id(kind: 'resp' | 'conv' | 'msg'): string {
      const { random } = this;
      const strange = [
        '0',
        '-1',
        `${kind}_`,
        `${kind}_999999999`,
        `${kind}_1e3`,
        'x',
        '%00',
        `${kind}_9007199254740993`,
      ];
      return random.next() < 0.15 ? random.pick(strange) : random.pick(this.ids[kind]);
    }

    /** Deleted objects; one id of each type stays. */
    private forget(path: string): void {
      for (const known of Object.values(this.ids)) {
        const index = known.findIndex((id) => path.split(/[/?]/).includes(id));
        known.splice(index, index > 0 ? 1 : 0);
      }
    }

    private remember(text: string): void {
      for (const [id = '', kind] of text.matchAll(/\b(resp|conv|msg)_\d+(?:_\d+)?\b/g)) {
        const known = this.ids[kind as 'resp'];
        known.push(id);
        known.splice(0, known.length - 20);
      }
    }
  }

  it(`never cause an internal error: ${REQUESTS} requests with seed ${SEED}`, async () => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, async (_value, lane) => new Lane(new Random(SEED + lane), await app.newClient())),
    );
    const faults = await Promise.all(lanes.map((lane) => lane.run(REQUESTS / LANES)));
    expect(faults.flat().slice(0, 10)).toEqual([]);
    // Neither too broken nor too valid for a test.
    expect(counts.get(200)).toBeGreaterThan(REQUESTS / 4);
    expect(counts.get(400)).toBeGreaterThan(REQUESTS / 5);
  }, 240_000);
});

function isOpenAiError(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: Record<string, unknown> };
  return typeof error?.message === 'string' && typeof error.code === 'string' && 'param' in error && 'type' in error;
}
