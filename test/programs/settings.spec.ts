import { load } from 'js-yaml';
import { PROGRAMS } from '../../console/src/components/api-keys/programs';

/** Parses like a zod schema. */
interface Read {
  success: boolean;
  error?: { issues: unknown[] };
  data?: { endpoints?: { custom?: unknown[] } };
}

interface LibreChat {
  configSchema: { strict(): { safeParse(value: unknown): Read } };
}

/** Not imported, because it exists only after `npm run test:programs` has installed it. */
const { configSchema } = jest.requireActual<LibreChat>('librechat-data-provider');

/** Validates settings of programs that cannot run here: LibreChat publishes the schema of its file. */
describe('settings of programs that are not run', () => {
  it.each(['Coder', `O'Brien "the" \\ agent`, '日本 $HOME', 'a: b # c'])(
    'of LibreChat are a complete file for the agent %s',
    (agent) => {
      const program = PROGRAMS.find(({ name }) => name === 'LibreChat');
      const text = program?.text({ origin: 'https://chat.example.com', key: 'ck_key', agent }) ?? '';
      const { success, error, data } = configSchema.strict().safeParse(load(text));
      expect([success, error?.issues]).toEqual([true, undefined]);
      expect(data?.endpoints?.custom).toMatchObject([
        {
          baseURL: 'https://chat.example.com/openai/v1',
          apiKey: 'ck_key',
          titleModel: agent,
          models: { default: [agent] },
        },
      ]);
    },
  );
});
