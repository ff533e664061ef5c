import { readFileSync } from 'node:fs';
import { PROGRAMS } from '../../console/src/components/api-keys/programs';

/** An agent name is always a single value. */
const NAMES = ['General Assistant', `O'Brien "the" \\ agent`, '日本 $HOME `id`', 'a: b # c'];

const BASES = { openai: '/openai/v1', anthropic: '/anthropic', 'chat:write': '' };

const settings = (agent: string) => ({ origin: 'https://chat.example.com', key: 'ck_key', agent });

describe('client settings', () => {
  it.each(PROGRAMS.map((program) => [program.name, program] as const))(
    'of %s have the key and the address',
    (_name, program) => {
      const text = program.text(settings('General Assistant'));
      expect(text).toContain('ck_key');
      expect(text).toContain(`https://chat.example.com${BASES[program.scope]}`);
    },
  );

  // The document is formatted and the settings are not: quotes and spaces may differ.
  it.each(PROGRAMS.map((program) => [program.name, program] as const))('of %s are in the document', (name, program) => {
    const plain = (text: string): string => text.replaceAll(/["'\s,]/g, '');
    const text = program.text({ origin: 'https://chat.example.com', key: 'ck_…', agent: 'Coder' });
    const [, section = ''] = readFileSync('docs/programs.md', 'utf8').split(`## ${name}\n`);
    expect(plain(section.split('\n## ')[0] ?? '')).toContain(plain(text));
  });

  it.each(NAMES)('of OpenCode are JSON for the agent %s', (agent) => {
    const opencode = PROGRAMS.find(({ name }) => name === 'OpenCode')!;
    expect(JSON.parse(opencode.text(settings(agent)))).toMatchObject({
      model: `chat/${agent}`,
      provider: { chat: { models: { [agent]: { name: agent } } } },
    });
  });

  it.each(NAMES)('of both forms of curl send the agent %s unchanged, despite shell quoting', (agent) => {
    for (const { text } of PROGRAMS.filter(({ name }) => name.startsWith('curl'))) {
      const body = /-d '(.*)'\n$/s.exec(text(settings(agent)))?.[1]?.replaceAll(`'\\''`, "'") ?? '';
      expect(JSON.parse(body)).toMatchObject({ model: agent });
    }
  });
});
