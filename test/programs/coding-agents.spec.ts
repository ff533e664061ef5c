import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAMS } from '../../console/src/components/api-keys/programs';
import { createAdmin, createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { modelEnvironment } from '../support/chat-app';
import { uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { call } from '../support/http';
import { type ModelServer, type ScriptedCall, startModelServer } from '../support/model-server/model-server';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startTestApp } from '../support/test-app';
import { byNode, programOf, type ProgramRun, Workplace } from './program';

const AGENT = 'General assistant';

/** The name of a model that Codex has settings for, with tools that it offers to no other model. */
const KNOWN_TO_CODEX = 'gpt-5.5';

/** More than a conversation may have when Codex is configured to keep it short. */
const USAGE = { prompt_tokens: 2_000, completion_tokens: 5 };

/**
 * Coding agents as users install them, against the built service with a scripted model. Each works in two turns, of
 * which the second continues the first, and each calls its shell. Needs `npm run build`.
 */
describe('third-party coding agents', () => {
  let model: ModelServer;
  let database: TestDatabase;
  let service: ServiceProcess;
  let key: string;
  let place: Workplace;

  beforeAll(async () => {
    model = await startModelServer();
    database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const { token } = await createUser(app);
    ({ key } = await makeKey(app, token, { scopes: ['openai', 'anthropic'] }));
    const { token: admin } = await createAdmin(app);
    const body = { name: KNOWN_TO_CODEX, system_prompt: 'You write code.', description: 'For Codex.' };
    expect((await call(`${app.url}/agents`, { token: admin, body })).status).toBe(201);
    await app.close();
    service = await ServiceProcess.start(app.environment);
  });

  afterAll(async () => {
    await service.end('SIGKILL');
    await model.close();
    await database.drop();
  });

  beforeEach(async () => (place = await Workplace.make()));

  afterEach(() => place.remove());

  const baseUrl = (): string => `${new URL(service.url).origin}/openai/v1`;

  /** The model calls the client's tools, one after the other, and then replies. */
  async function scripted(...calls: ScriptedCall[]): Promise<{ prompt: string; answer: string }> {
    const prompt = uniqueContent('work');
    const answer = uniqueContent('said');
    for (const toolCall of calls) {
      await model.script({ key: prompt, times: 1, steps: [{ text: 'I work.' }, { toolCall }], usage: USAGE });
    }
    await model.script({ key: prompt, steps: [{ text: answer }] });
    return { prompt, answer };
  }

  /** A turn in which the shell writes a file. */
  async function turnOf(
    program: (prompt: string) => Promise<ProgramRun>,
    toCall: (command: string) => ScriptedCall,
    file: string,
  ): Promise<string> {
    const command = `echo result-$((6*7)) > ${file}; cat ${file}`;
    const { prompt, answer } = await scripted(toCall(command));
    const { code, output } = await program(prompt);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(answer) });
    expect(await readFile(join(place.folder, file), 'utf8')).toBe('result-42\n');
    const told = await model.requests(prompt);
    expect(resultsIn(told.at(-1))).toContain('result-42');
    return prompt;
  }

  /** The tool results that the model received. */
  function resultsIn(request: { body: { messages: { role: string; content: unknown }[] } } | undefined): string {
    const results = request?.body.messages.filter(({ role }) => role === 'tool') ?? [];
    return results.map(({ content }) => JSON.stringify(content)).join();
  }

  /** Two turns; the second request to the model includes the first turn. */
  async function twoTurns(
    program: (prompt: string, isSecond: boolean) => Promise<ProgramRun>,
    toCall: (command: string) => ScriptedCall,
  ): Promise<void> {
    const first = await turnOf((prompt) => program(prompt, false), toCall, 'first.txt');
    const second = await turnOf((prompt) => program(prompt, true), toCall, 'second.txt');
    const told = JSON.stringify((await model.requests(second)).at(-1)?.body.messages);
    expect([told.includes(first), told.includes('first.txt')]).toEqual([true, true]);
  }

  describe('codex', () => {
    const shell = (command: string): ScriptedCall => ({
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: command }),
    });

    /** @param name of the provider; if it is OpenAI, Codex lets the service compact conversations */
    async function codex(
      prompt: string,
      options: { isSecond?: boolean; name?: string; config?: string[] },
    ): Promise<ProgramRun> {
      const { isSecond = false, name = 'Chat service', config = [] } = options;
      const provider = { name, base_url: baseUrl(), env_key: 'CHAT_API_KEY', wire_api: 'responses' };
      const settings = [
        `model = "${AGENT}"`,
        'model_provider = "chat"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.chat]',
        ...Object.entries(provider).map(([member, value]) => `${member} = ${JSON.stringify(value)}`),
      ];
      await place.configure('.codex/config.toml', settings.join('\n'));
      const flags = ['--skip-git-repo-check', '--json', '--dangerously-bypass-approvals-and-sandbox'];
      const command = isSecond ? ['exec', 'resume', '--last'] : ['exec'];
      const given = config.flatMap((value) => ['-c', value]);
      return place.run([programOf('codex'), ...command, ...flags, ...given, prompt], { CHAT_API_KEY: key });
    }

    it('works in two turns', () => twoTurns((prompt, isSecond) => codex(prompt, { isSecond }), shell));

    it('has a custom tool called, with plain text as input', async () => {
      const patch = '*** Begin Patch\n*** Add File: patched.txt\n+"Grüße"\n*** End Patch\n';
      const { prompt, answer } = await scripted({ name: 'apply_patch', arguments: JSON.stringify({ input: patch }) });
      const { code, output } = await codex(prompt, { config: [`model="${KNOWN_TO_CODEX}"`] });
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(answer) });
      expect(await readFile(join(place.folder, 'patched.txt'), 'utf8')).toBe('"Grüße"\n');
    });

    it('has a tool in a namespace called', async () => {
      const target = '{"target":"01a21036-585c-7310-bc3d-4d8aad032ca4"}';
      const { prompt, answer } = await scripted({ name: 'multi_agent_v1__close_agent', arguments: target });
      const { code, output } = await codex(prompt, {});
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(answer) });
      const result = resultsIn((await model.requests(prompt)).at(-1));
      expect(result).toContain('01a21036-585c-7310-bc3d-4d8aad032ca4');
      expect(result).not.toContain('unsupported call');
    });

    it('lets the service compact its conversation', async () => {
      const { prompt, answer } = await scripted(shell('echo one'));
      const { code, output } = await codex(prompt, { name: 'OpenAI', config: ['model_auto_compact_token_limit=1000'] });
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(answer) });
      const told = (await model.requests(prompt)).map(({ body }) => JSON.stringify(body.messages));
      expect(told[1]).toContain('Write a summary');
      expect(told.at(-1)).toContain('This summary stands for');
    });
  });

  it('opencode works in two turns', async () => {
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Chat service',
      options: { baseURL: baseUrl(), apiKey: '{env:CHAT_API_KEY}' },
      models: { [AGENT]: { name: AGENT } },
    };
    const settings = { autoupdate: false, share: 'disabled', model: `chat/${AGENT}`, provider: { chat: provider } };
    await place.configure('.config/opencode/opencode.json', JSON.stringify(settings));
    const environment = { CHAT_API_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' };
    await twoTurns(
      (prompt, isSecond) =>
        place.run(
          [programOf('opencode'), 'run', ...(isSecond ? ['--continue'] : ['--title', 'Work']), prompt],
          environment,
        ),
      (command) => ({ name: 'bash', arguments: JSON.stringify({ command, description: 'Writes a file.' }) }),
    );
  });

  it('continue works in two turns, with the settings shown in the console', async () => {
    const { origin } = new URL(service.url);
    const text = PROGRAMS.find(({ name }) => name === 'Continue')?.text({ origin, key, agent: AGENT }) ?? '';
    await place.configure('.continue/config.yaml', text);
    const told = ['-p', '--auto', '--config', join(place.home, '.continue/config.yaml')];
    await twoTurns(
      (prompt, isSecond) =>
        place.run([programOf('cn'), ...told, ...(isSecond ? ['--resume'] : []), prompt], {
          CONTINUE_TELEMETRY_ENABLED: '0',
        }),
      (command) => ({ name: 'Bash', arguments: JSON.stringify({ command }) }),
    );
  });

  it('claude works in two turns', async () => {
    const environment = {
      ANTHROPIC_BASE_URL: `${new URL(service.url).origin}/anthropic`,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: AGENT,
      ANTHROPIC_SMALL_FAST_MODEL: AGENT,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    await twoTurns(
      (prompt, isSecond) =>
        place.run(
          [programOf('claude'), '-p', '--allowedTools', 'Bash', ...(isSecond ? ['--continue'] : []), '--', prompt],
          environment,
        ),
      (command) => ({ name: 'Bash', arguments: JSON.stringify({ command, description: 'Writes a file.' }) }),
    );
  });

  it('qwen works in two turns', async () => {
    // It loses the output of a command that exits immediately, with its terminal always and without it on a busy
    // machine.
    const lingering = 'sleep 1';
    const tools = { shell: { enableInteractiveShell: false } };
    const settings = { general: { enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false }, tools };
    await place.configure('.qwen/settings.json', JSON.stringify(settings));
    const environment = { OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl(), OPENAI_MODEL: AGENT };
    const qwen = [...(await byNode(22, '@qwen-code/qwen-code/cli-entry.js')), '--auth-type', 'openai', '--yolo'];
    await twoTurns(
      (prompt, isSecond) => place.run([...qwen, ...(isSecond ? ['--continue'] : []), '-p', prompt], environment),
      (command) => ({
        name: 'run_shell_command',
        arguments: JSON.stringify({ command: `${command}; ${lingering}`, is_background: false }),
      }),
    );
  });
});
