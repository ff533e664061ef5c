import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ServiceRun } from '../support/service-run';

const PACKAGES = resolve(__dirname, '../../node_modules');

/** Prints at the end of the process which files it has loaded. */
const PROBE = `process.once('exit', () =>
  require('node:fs').writeFileSync('loaded.json', JSON.stringify(Object.keys(require.cache))));`;

describe('the files that the built service loads on SQLite, with defaults', () => {
  let folder: string;
  let loaded: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loaded-'));
    loaded = await filesOfRun(() => Promise.resolve());
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** The files that a process loads while it starts, runs, and stops. */
  async function filesOfRun(use: (origin: string) => Promise<void>): Promise<string[]> {
    const probe = join(folder, 'probe.js');
    await writeFile(probe, PROBE);
    const run = new ServiceRun(folder, { NODE_OPTIONS: `--require ${probe}`, MAIL_FROM: 'service@example.com' });
    try {
      await run.untilOutput('/health\n');
      await use(run.origin());
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);
    } finally {
      await run.kill();
    }
    return JSON.parse(await readFile(join(folder, 'loaded.json'), 'utf8')) as string[];
  }

  const of = (part: string, files = loaded): string[] => files.filter((file) => file.startsWith(`${PACKAGES}/${part}`));

  it.each([
    ['the driver of Redis', 'ioredis/'],
    ['the driver of MySQL', 'mysql2/'],
    ['templates', 'handlebars/'],
    ['OpenTelemetry', '@opentelemetry/'],
    ['more of undici than its HTTP client', 'undici/index.js'],
  ])('do not include %s', (_what, part) => {
    expect(of(part)).toEqual([]);
  });

  it('include more if a request needs them, and those work', async () => {
    const files = await filesOfRun(async (origin) => {
      const document = (await (await fetch(`${origin}/openapi.json`)).json()) as { paths: object };
      expect(document.paths).toHaveProperty('/api/v1/auth/login');
      expect(await (await fetch(`${origin}/openapi.yaml`)).text()).toContain('/api/v1/auth/login:');
      expect(await (await fetch(origin, { headers: { accept: 'text/html' } })).text()).toContain('<title>');
      const body = JSON.stringify({ email: 'nobody', purpose: 'register' });
      const headers = { 'content-type': 'application/json' };
      const refused = await fetch(`${origin}/api/v1/auth/send_code`, { method: 'POST', headers, body });
      expect(refused.status).toBe(422);
    });
    expect(of('handlebars/', files)).not.toEqual([]);
  });

  it('are visible to this test, and include the files in use', () => {
    expect(of('typeorm/driver/better-sqlite3/')).not.toEqual([]);
    expect(of('validator/lib/isEmail.js')).not.toEqual([]);
    expect(of('rxjs/dist/cjs/internal/')).not.toEqual([]);
  });
});
