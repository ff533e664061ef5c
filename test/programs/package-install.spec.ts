import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { InstalledService } from '../outside/installed-service';
import { PASSWORD } from '../support/accounts';
import { call } from '../support/http';
import { ServiceRun } from '../support/service-run';

const ROOT = resolve(__dirname, '../..');
const FIXTURE = join(ROOT, 'test/fixtures/bookmarks');
const ADMINISTRATOR = 'root@example.com';
const START = ' && node server.mjs';

/** npm downloads more than 500 packages. */
const LONGEST_INSTALL_MILLISECONDS = 900_000;

/** The commands in the guide, starting in the empty folder, except for the start of the program. */
async function documentedCommands(): Promise<string> {
  const guide = await readFile(join(ROOT, 'docs/add-a-module.md'), 'utf8');
  const [, block = ''] = /```sh\n(cd chat-service.*?)\n```/s.exec(guide) ?? [];
  expect(block).toContain(START);
  return block.slice(block.indexOf('mkdir ')).replace(START, '');
}

/** Without variables of the surrounding npm; proxies and certificates of the machine stay. */
function newShellEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|INIT_CWD$)/i.test(name));
  return Object.fromEntries(variables);
}

/** Needs `npm run build` and the npm registry. */
describe('the packed service and a packed feature, installed with the commands in the guide', () => {
  let root: string;
  let service: ServiceRun | undefined;

  beforeAll(async () => {
    const packed = await InstalledService.install(FIXTURE);
    root = await mkdtemp(join(tmpdir(), 'documented-'));
    const folders = { 'chat-service': 'chat-service-1', bookmarks: 'chat-service-bookmarks-1' };
    for (const [folder, archive] of Object.entries(folders)) {
      await mkdir(join(root, folder));
      const [name = ''] = (await readdir(packed.folder)).filter((file) => file.startsWith(archive));
      await cp(join(packed.folder, name), join(root, folder, name));
    }
    await cp(join(FIXTURE, 'server.mjs'), join(root, 'bookmarks/server.mjs'));
    await packed.remove();
  });

  afterAll(async () => {
    await service?.kill();
    await rm(root, { recursive: true });
  });

  it(
    'start, and answer a route in the feature',
    async () => {
      const commands = ['-e', '-c', await documentedCommands()];
      await promisify(execFile)('sh', commands, { cwd: join(root, 'bookmarks'), env: newShellEnvironment() });
      const folder = join(root, 'my-chat');
      const environment = {
        NODE_ENV: 'test',
        DATABASE_URL: 'sqlite:chat.sqlite',
        JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
        ADMIN_EMAIL: ADMINISTRATOR,
        ADMIN_PASSWORD: PASSWORD,
      };
      service = new ServiceRun(folder, environment, join(folder, 'server.mjs'));
      await service.untilOutput('The service listens.');
      const url = `${service.origin()}/api/v1`;
      const login = { body: { email: ADMINISTRATOR, password: PASSWORD } };
      const { access_token: token } = (await call<{ access_token: string }>(`${url}/auth/login`, login)).body;
      const body = { message_id: 7, note: 'The recipe.' };
      const added = await call(`${url}/bookmarks`, { token, body });
      expect(added).toMatchObject({ status: 200, body: { data: body } });
    },
    LONGEST_INSTALL_MILLISECONDS,
  );
});
