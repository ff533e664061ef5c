const MODEL = 'house-model';
const HEADERS = { 'content-type': 'application/json' };

/** Opens the service as a client of its own: an administrator, an API key, and two agents of which one may call a tool. */
async function openClient(origin, { email, password }) {
  const api = `${origin}/api/v1`;
  const login = () => call(`${api}/auth/login`, { body: { email, password } });
  const pair = await login();
  const admin = (path, body) => call(`${api}${path}`, { body, token: pair.access_token });
  const agentOf = async (name, tools) => (await admin('/agents', { name, model: MODEL, tools })).data.id;
  const plain = await admin('/chat', { agent_id: await agentOf('plain', []) });
  const acting = await admin('/chat', { agent_id: await agentOf('acting', [{ name: 'calculate', policy: 'ask' }]) });
  const { key } = await admin('/user/api-keys', { name: 'house', scopes: ['openai'] });
  return { origin, api, login, admin, key, plain, acting };
}

/**
 * The flows whose code is counted. `prepare` makes what the flow needs, and is not counted. Each flow ends when its answer has
 * been read to its end.
 */
const FLOWS = {
  message: {
    run: ({ admin, plain }) =>
      admin('/chat/message?stream_format=sse', { chat_id: plain.id, content: 'How much is that?' }),
  },
  completion: {
    run: ({ origin, key }) =>
      call(`${origin}/openai/v1/chat/completions`, {
        token: key,
        body: { model: 'plain', stream: true, messages: [{ role: 'user', content: 'How much is that?' }] },
      }),
  },
  response: {
    run: ({ origin, key }) =>
      call(`${origin}/openai/v1/responses`, {
        token: key,
        body: { model: 'plain', stream: true, input: 'How much is that?' },
      }),
  },
  decision: {
    async prepare({ admin, acting }) {
      await admin('/chat/message', { chat_id: acting.id, content: 'Please calculate it.' });
      const actions = await admin(`/chat/${acting.id}/actions`);
      return actions.find(({ state }) => state === 'open');
    },
    run: ({ admin, acting }, action) =>
      admin(`/chat/${acting.id}/actions/${action.id}?stream_format=sse`, {
        decision: 'approve',
        arguments_hash: action.arguments_hash,
      }),
  },
  'sign-in': { run: ({ login }) => login() },
  refresh: {
    prepare: ({ login }) => login(),
    run: ({ api }, { refresh_token }) => call(`${api}/auth/refresh_token`, { body: { refresh_token } }),
  },
};

/** @returns what the service answered: JSON, or the text of a stream */
async function call(url, { body, token } = {}) {
  const headers = { ...HEADERS, ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

module.exports = { FLOWS, openClient };
