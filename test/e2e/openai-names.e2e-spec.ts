import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import { useChatApp } from '../support/use-app';

const MODEL = 'General assistant';

/** Reserved JavaScript names. */
const NAMES = ['__proto__', 'prototype', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'];
const METADATA = `{${NAMES.map((name) => `"${name}":"kept"`).join()}}`;
const SCHEMA =
  `{"type":"object","constructor":"x","__proto__":{"polluted":1},"properties":{` +
  `${NAMES.map((name) => `"${name}":{"type":"string"}`).join()}},"required":["constructor","__proto__"]}`;

describe('reserved JavaScript names in the OpenAI-compatible API', () => {
  const app = useChatApp();
  let token: string;

  beforeAll(async () => {
    token = (await createUser(app)).token;
  });

  const headers = { 'content-type': 'application/json' };
  const send = (method: string, path: string, raw?: string) =>
    call<Record<string, unknown>>(`${app.origin}/openai/v1${path}`, { token, method, raw, headers });

  const sorted = (json: unknown): [string, unknown][] =>
    Object.entries(json as object).sort(([one], [other]) => (one < other ? -1 : 1)) as [string, unknown][];

  const EXPECTED = sorted(JSON.parse(METADATA));

  it('are kept in the metadata of a conversation', async () => {
    const made = await send('POST', '/conversations', `{"metadata":${METADATA}}`);
    expect([made.status, sorted(made.body.metadata)]).toEqual([200, EXPECTED]);
    const path = `/conversations/${String(made.body.id)}`;
    expect(sorted((await send('GET', path)).body.metadata)).toEqual(EXPECTED);
    const changed = await send('POST', path, '{"metadata":{"constructor":"changed"}}');
    expect(changed.body.metadata).toEqual({ constructor: 'changed' });
    expect(sorted((await send('GET', path)).body.metadata)).toEqual([['constructor', 'changed']]);
    expect(({} as { kept?: unknown }).kept).toBeUndefined();
  });

  it.each(['{"constructor":1}', '{"__proto__":{"a":"b"}}', '{"prototype":null}'])(
    'are checked like all others: %s',
    async (metadata) => {
      const refused = await send('POST', '/conversations', `{"metadata":${metadata}}`);
      const param = expect.stringMatching(/^metadata\.(constructor|__proto__|prototype)$/) as string;
      expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
    },
  );

  it('are kept in the metadata, the tools and the format of a response, and reach the model', async () => {
    const input = uniqueContent();
    const tools = `[{"type":"function","name":"constructor","parameters":${SCHEMA}}]`;
    const text = `{"format":{"type":"json_schema","name":"constructor","schema":${SCHEMA}}}`;
    const body = `{"model":"${MODEL}","input":"${input}","metadata":${METADATA},"tools":${tools},"text":${text}}`;
    const made = await send('POST', '/responses', body);
    expect([made.status, sorted(made.body.metadata)]).toEqual([200, EXPECTED]);
    const read = (await send('GET', `/responses/${String(made.body.id)}`)).text;
    for (const shown of [made.text, read]) {
      expect(shown.match(/"__proto__":\{"type":"string"\}/g)).toHaveLength(2);
      expect(shown.match(/"__proto__":\{"polluted":1\}/g)).toHaveLength(2);
      expect(shown.match(/"constructor":\{"type":"string"\}/g)).toHaveLength(2);
      expect(shown.match(/"constructor":"x"/g)).toHaveLength(2);
    }
    await expectSchemas(input);
  });

  it('reach the model in the tools and the format of a completion', async () => {
    const content = uniqueContent();
    const tools = `[{"type":"function","function":{"name":"constructor","parameters":${SCHEMA}}}]`;
    const format = `{"type":"json_schema","json_schema":{"name":"x","schema":${SCHEMA}}}`;
    const messages = `[{"role":"user","content":"${content}"}]`;
    const body = `{"model":"${MODEL}","messages":${messages},"tools":${tools},"response_format":${format}}`;
    expect((await send('POST', '/chat/completions', body)).status).toBe(200);
    await expectSchemas(content);
  });

  it('do not hide unsupported fields', async () => {
    const body = `{"model":"${MODEL}","messages":[{"role":"user","content":"x"}],"logit_bias":{"constructor":1}}`;
    const refused = await send('POST', '/chat/completions', body);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'logit_bias' } } });
  });

  /** The function and the response format in the model's request. */
  async function expectSchemas(key: string): Promise<void> {
    const [request] = await app.model.requests(key);
    const { tools, response_format } = (request as { body: unknown }).body as {
      tools: [{ function: { parameters: object } }];
      response_format: { json_schema: { schema: object } };
    };
    for (const schema of [tools[0].function.parameters, response_format.json_schema.schema]) {
      expect(Object.keys(schema).sort()).toEqual(['__proto__', 'constructor', 'properties', 'required', 'type']);
      expect(Object.keys((schema as { properties: object }).properties).sort()).toEqual([...NAMES].sort());
    }
  }
});
