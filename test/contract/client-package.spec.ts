import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = resolve(__dirname, '../..');
const CLIENT = join(ROOT, 'client');
const MOST_BYTES = 12 * 1_024;

const run = promisify(execFile);

/** The package as npm packs it, and a program that has it installed. */
describe('the package of the client', () => {
  let folder: string;
  let tarball: string;
  let consumer: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    const packed = join(folder, 'packed');
    for (const name of ['package.json', 'README.md', 'LICENSE']) await cp(join(CLIENT, name), join(packed, name));
    await run(process.execPath, [join(CLIENT, 'build.mjs'), join(packed, 'dist')]);
    await run('npm', ['pack', '--pack-destination', folder], { cwd: packed });
    tarball = join(folder, 'chat-service-client-1.0.0.tgz');
    consumer = join(folder, 'consumer');
    const installed = join(consumer, 'node_modules/chat-service-client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['xzf', tarball, '--strip-components=1', '-C', installed]);
    await cp(join(ROOT, 'test/fixtures/client-consumer/consumer.ts'), join(consumer, 'consumer.ts'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('has the bundles and their types, and depends on nothing', async () => {
    const installed = join(consumer, 'node_modules/chat-service-client');
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    expect(await readdir(join(installed, 'dist'))).toEqual(['cjs', 'esm']);
    expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });

  it('is at most 12 kB with everything in it', async () => {
    const contents = ['', '/webhooks', '/use-chat']
      .map((path) => `export * from 'chat-service-client${path}';`)
      .join('');
    const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false } as const;
    const { outputFiles } = await build({ stdin: { contents, resolveDir: consumer }, ...options });
    expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it.each([
    ['modules.mjs', `import { createChatClient, verifyWebhook } from 'chat-service-client';`],
    ['common.cjs', `const { createChatClient, verifyWebhook } = require('chat-service-client');`],
  ])('runs as %s', async (file, line) => {
    const program = `${line}
      const { useChatTransport } = ${file.endsWith('mjs') ? 'await import' : 'require'}('chat-service-client/use-chat');
      const client = createChatClient({ baseUrl: 'http://127.0.0.1:1' });
      client.agents.list().catch((error) => console.log(error.name, typeof verifyWebhook, typeof useChatTransport));`;
    await writeFile(join(consumer, file), program);
    const { stdout } = await run(process.execPath, [file], { cwd: consumer });
    expect(stdout.trim()).toBe('ConnectionError function function');
  });

  it.each([
    ['module', 'node16', 'node16'],
    ['commonjs', 'node16', 'node16'],
    ['module', 'esnext', 'bundler'],
  ])('has types for a %s with module %s and resolution %s', async (type, module, moduleResolution) => {
    await writeFile(join(consumer, 'package.json'), JSON.stringify({ type }));
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
    };
    const options = {
      ...compilerOptions,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    };
    await writeFile(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
    );
    const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', consumer]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });

  it('has types that are right for whoever resolves them', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'test/clients/check-types.mjs'), tarball]);
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
