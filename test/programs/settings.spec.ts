import { load } from 'js-yaml';
import { PROGRAMS } from '../../console/src/components/api-keys/programs';

/** As a schema of zod reads something. */
interface Read {
  success: boolean;
  error?: { issues: unknown[] };
  data?: { endpoints?: { custom?: unknown[] } };
}

interface LibreChat {
  configSchema: { strict(): { safeParse(value: unknown): Read } };
}

/** Not imported: it is only there once `npm run test:programs` has installed it. */
const { configSchema } = jest.requireActual<LibreChat>('librechat-data-provider');

/** What programs say of settings that they cannot be run with here: LibreChat publishes how it reads its file. */
describe('settings of programs that are not run', () => {
  it.each(['Coder', `O'Brien "the" \\ agent`, '日本 $HOME', 'a: b # c'])(
    'of LibreChat are a whole file for the agent %s',
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
