import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { newFolder, packClientAndTool, packService, runCommand } from '../outside/packed-packages';
import { PASSWORD } from '../support/accounts';
import { call } from '../support/http';
import { ServiceRun } from '../support/service-run';

const GUIDE = resolve(__dirname, '../../docs/add-a-module.md');
const ADMINISTRATOR = 'root@example.com';
const START = ' && npm start';

/** npm downloads more than 500 packages. */
const LONGEST_INSTALL_MILLISECONDS = 900_000;

/** The commands in the guide that create, install and test a product. */
async function documentedCommands(): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8');
  const [, block = ''] = /```sh\n(npx [^\n]* my-chat\n.*?)\n```/s.exec(guide) ?? [];
  expect(block).toContain(START);
  return block.replace(START, '');
}

/** Needs `npm run build` and the npm registry. */
describe('a product, created in an empty folder with only the packed service, client and tool', () => {
  let folder: string;
  let service: ServiceRun | undefined;

  beforeAll(async () => {
    const packed = await newFolder();
    await Promise.all([packService(packed), packClientAndTool(packed)]);
    folder = await newFolder();
    for (const name of (await readdir(packed)).filter((file) => file.endsWith('.tgz'))) {
      await rename(join(packed, name), join(folder, name));
    }
    await rm(packed, { recursive: true });
  });

  afterAll(async () => {
    await service?.kill();
    await rm(folder, { recursive: true });
  });

  it(
    'installs without warnings, passes its tests, and starts with its own module',
    async () => {
      const output = await runCommand(folder, 'sh', ['-e', '-c', await documentedCommands()]);
      expect(output).toMatch(/pass 5\n.*fail 0/s);
      expect(output).not.toMatch(/npm warn/);
      const product = join(folder, 'my-chat');
      const data = join(folder, 'data');
      await mkdir(data);
      const environment = {
        NODE_ENV: 'test',
        DATABASE_URL: 'sqlite:chat.sqlite',
        JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
        ADMIN_EMAIL: ADMINISTRATOR,
        ADMIN_PASSWORD: PASSWORD,
      };
      service = new ServiceRun(data, environment, join(product, 'server.mjs'));
      await service.untilOutput('The service listens.');
      const url = `${service.origin()}/api/v1`;
      const login = { body: { email: ADMINISTRATOR, password: PASSWORD } };
      const { access_token: token } = (await call<{ access_token: string }>(`${url}/auth/login`, login)).body;
      const body = { subject: 'The recipe.' };
      expect(await call(`${url}/tasks`, { token, body })).toMatchObject({ status: 201, body: { data: body } });
    },
    LONGEST_INSTALL_MILLISECONDS,
  );
});
