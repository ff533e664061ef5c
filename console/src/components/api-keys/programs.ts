/** Connection settings of a client program. */
export interface ProgramSettings {
  /** Origin of the service, without a trailing `/`. */
  origin: string;
  key: string;
  /** Name of the agent. */
  agent: string;
}

interface Program {
  name: string;
  /** The scope that the key needs. */
  scope: 'openai' | 'anthropic' | 'chat:write';
  /** The file or shell that the text is for. */
  place: string;
  text: (settings: ProgramSettings) => string;
}

const openAi = (origin: string): string => `${origin}/openai/v1`;

const anthropic = (origin: string): string => `${origin}/anthropic`;

/** JSON, TypeScript, Python and TOML share this string syntax. */
const quoted = (text: string): string => JSON.stringify(text);

/** A shell literal: inside single quotes, only the closing quote is special. */
const literal = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** YAML accepts every JSON string. */
const yaml = quoted;

/** Third-party programs with settings that work without changes. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'curl',
    scope: 'openai',
    place: 'Shell',
    text: ({ origin, key, agent }) => `curl ${openAi(origin)}/chat/completions \\
  -H ${literal(`Authorization: Bearer ${key}`)} -H 'Content-Type: application/json' \\
  -d ${literal(JSON.stringify({ model: agent, messages: [{ role: 'user', content: 'Hello' }] }))}
`,
  },
  {
    name: 'openai (TypeScript)',
    scope: 'openai',
    place: 'hello.ts',
    text: ({ origin, key, agent }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${quoted(openAi(origin))}, apiKey: ${quoted(key)} });
const { choices } = await client.chat.completions.create({
  model: ${quoted(agent)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(choices[0]?.message.content);
`,
  },
  {
    name: 'openai (Python)',
    scope: 'openai',
    place: 'hello.py',
    text: ({ origin, key, agent }) => `from openai import OpenAI

client = OpenAI(base_url=${quoted(openAi(origin))}, api_key=${quoted(key)})
completion = client.chat.completions.create(
    model=${quoted(agent)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(completion.choices[0].message.content)
`,
  },
  {
    name: 'Codex',
    scope: 'openai',
    place: '~/.codex/config.toml',
    text: ({ origin, key, agent }) => `# export CHAT_API_KEY=${key}
model = ${quoted(agent)}
model_provider = "chat"

[model_providers.chat]
name = "Chat service"
base_url = ${quoted(openAi(origin))}
env_key = "CHAT_API_KEY"
wire_api = "responses"
`,
  },
  {
    name: 'OpenCode',
    scope: 'openai',
    place: '~/.config/opencode/opencode.json',
    text: ({ origin, key, agent }) =>
      asJson({
        $schema: 'https://opencode.ai/config.json',
        model: `chat/${agent}`,
        provider: {
          chat: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Chat service',
            options: { baseURL: openAi(origin), apiKey: key },
            models: { [agent]: { name: agent } },
          },
        },
      }),
  },
  {
    name: 'Qwen Code',
    scope: 'openai',
    place: 'Shell',
    text: ({ origin, key, agent }) => `export OPENAI_BASE_URL=${literal(openAi(origin))}
export OPENAI_API_KEY=${literal(key)} OPENAI_MODEL=${literal(agent)}
qwen --auth-type openai
`,
  },
  {
    name: 'Continue',
    scope: 'openai',
    place: '~/.continue/config.yaml',
    text: ({ origin, key, agent }) => `name: Chat service
version: 1.0.0
schema: v1
models:
  - name: ${yaml(agent)}
    provider: openai
    model: ${yaml(agent)}
    apiBase: ${yaml(openAi(origin))}
    apiKey: ${yaml(key)}
    roles: [chat, edit]
`,
  },
  {
    name: 'Cursor',
    scope: 'openai',
    place: 'Settings → Models',
    text: ({ origin, key, agent }) => `Add model: ${agent}
OpenAI API Key: ${key}
Override OpenAI Base URL: ${openAi(origin)}
`,
  },
  {
    name: 'Open WebUI',
    scope: 'openai',
    place: 'Shell',
    text: ({ origin, key }) => `docker run -d -p 8080:8080 \\
  -e OPENAI_API_BASE_URL=${literal(openAi(origin))} -e OPENAI_API_KEY=${literal(key)} \\
  -v open-webui:/app/backend/data ghcr.io/open-webui/open-webui:main
`,
  },
  {
    name: 'LibreChat',
    scope: 'openai',
    place: 'librechat.yaml',
    text: ({ origin, key, agent }) => `version: 1.3.17
endpoints:
  custom:
    - name: Chat service
      apiKey: ${yaml(key)}
      baseURL: ${yaml(openAi(origin))}
      models:
        default: [${yaml(agent)}]
        fetch: true
      titleConvo: true
      titleModel: ${yaml(agent)}
`,
  },
  {
    name: 'Claude Code',
    scope: 'anthropic',
    place: 'Shell',
    text: ({ origin, key, agent }) => `export ANTHROPIC_BASE_URL=${literal(anthropic(origin))}
export ANTHROPIC_API_KEY=${literal(key)}
# Without these two, Claude Code requests names such as claude-sonnet-5.
export ANTHROPIC_MODEL=${literal(agent)}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${literal(agent)}
claude
`,
  },
  {
    name: '@anthropic-ai/sdk (TypeScript)',
    scope: 'anthropic',
    place: 'hello.ts',
    text: ({ origin, key, agent }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${quoted(anthropic(origin))}, apiKey: ${quoted(key)} });
const message = await client.messages.create({
  model: ${quoted(agent)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(message.content);
`,
  },
  {
    name: 'anthropic (Python)',
    scope: 'anthropic',
    place: 'hello.py',
    text: ({ origin, key, agent }) => `from anthropic import Anthropic

client = Anthropic(base_url=${quoted(anthropic(origin))}, api_key=${quoted(key)})
message = client.messages.create(
    model=${quoted(agent)},
    max_tokens=1000,
    messages=[{"role": "user", "content": "Hello"}],
)
print(message.content)
`,
  },
  {
    name: 'curl (Anthropic)',
    scope: 'anthropic',
    place: 'Shell',
    text: ({ origin, key, agent }) => `curl ${anthropic(origin)}/v1/messages \\
  -H ${literal(`x-api-key: ${key}`)} -H 'Content-Type: application/json' \\
  -d ${literal(JSON.stringify({ model: agent, max_tokens: 1000, messages: [{ role: 'user', content: 'Hello' }] }))}
`,
  },
  {
    name: 'chat-service-client',
    scope: 'chat:write',
    place: 'server.ts',
    text: ({ origin, key, agent }) => `import { createChatClient } from 'chat-service-client';

// A key belongs on a server. Pages sign their people in: docs/frontends.md has useChat.
const client = createChatClient({ baseUrl: ${quoted(origin)}, accessToken: ${quoted(key)} });
const agents = await client.agents.listActive();
const chat = await client.chat.create({ body: { agent_id: agents.find(({ name }) => name === ${quoted(agent)})!.id } });
for await (const event of client.send({ chat_id: chat.id, content: 'Hello' })) {
  if (event.type === 'delta') process.stdout.write(event.text);
}
`,
  },
];

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
