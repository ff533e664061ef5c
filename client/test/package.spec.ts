import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { snippetsOf } from '../../test/support/frontend-snippet';

const ROOT = resolve(__dirname, '../..');
const CLIENT = join(ROOT, 'client');

/** Size limits for a page that uses the client and for all entries together, compressed with gzip. */
const MOST_BYTES_OF_PAGE = 11_000;
const MOST_BYTES = 12 * 1_024;

const run = promisify(execFile);

/** Tests the package as npm packs it, and a program that has installed it. */
describe('the package of the client', () => {
  let folder: string;
  let tarball: string;
  let consumer: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    const packed = join(folder, 'packed');
    for (const name of ['package.json', 'README.md', 'LICENSE', 'bin'])
      await cp(join(CLIENT, name), join(packed, name), { recursive: true });
    await run(process.execPath, [join(CLIENT, 'build.mjs'), join(packed, 'dist')]);
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packed });
    tarball = join(folder, 'chat-service-client-1.0.0.tgz');
    consumer = join(folder, 'consumer');
    const installed = join(consumer, 'node_modules/chat-service-client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['xzf', tarball, '--strip-components=1', '-C', installed]);
    await cp(join(__dirname, 'consumer/consumer.ts'), join(consumer, 'consumer.ts'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('contains the bundles and their types, and has no dependencies', async () => {
    const installed = join(consumer, 'node_modules/chat-service-client');
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
    expect(await readdir(join(installed, 'dist'))).toEqual(['cjs', 'esm']);
    expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });

  it.each([
    [
      MOST_BYTES_OF_PAGE,
      'the client and its failures, for a page',
      "export { ApiError, ConnectionError, createChatClient, isApiError, TimeoutError } from 'chat-service-client';",
    ],
    [
      MOST_BYTES,
      'everything in it',
      ['', '/webhooks', '/use-chat'].map((path) => `export * from 'chat-service-client${path}';`).join(''),
    ],
  ])('has at most %i bytes with %s', async (most, _what, contents) => {
    const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false } as const;
    const { outputFiles } = await build({ stdin: { contents, resolveDir: consumer }, ...options });
    expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(most);
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

  it('chats in a terminal, and reports missing options', async () => {
    const program = join(consumer, 'node_modules/chat-service-client/bin/chat.mjs');
    const { stdout } = await run(process.execPath, [program, '--help']);
    expect(stdout).toContain('--key <key>');
    await expect(run(process.execPath, [program, 'Hello'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('An API key is missing') as unknown,
    });
  });

  it.each([
    ['module', 'node16', 'node16'],
    ['commonjs', 'node16', 'node16'],
    ['module', 'esnext', 'bundler'],
  ])('has types for a %s with module %s and resolution %s', async (type, module, moduleResolution) => {
    await writeFile(join(consumer, 'package.json'), JSON.stringify({ type }));
    expect(await faultsIn(['consumer.ts'], { module, moduleResolution })).toBe('');
  });

  it('has a transport for versions 5, 6 and 7 of the AI SDK', async () => {
    const names = [5, 6, 7].map((version) => `transport-${version}.ts`);
    for (const [index, sdk] of ['ai-5', 'ai', 'ai-7'].entries()) {
      await symlink(join(ROOT, 'test/clients/node_modules', sdk), join(consumer, 'node_modules', sdk));
      await writeFile(
        join(consumer, names[index]!),
        `import type { ChatTransport, UIMessage } from '${sdk}';
        import { createChatClient } from 'chat-service-client';
        import { useChatTransport } from 'chat-service-client/use-chat';
        export const transport: ChatTransport<UIMessage> = useChatTransport(createChatClient());`,
      );
    }
    expect(await faultsIn(names, { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true })).toBe('');
  });

  it('has README examples that compile in strict mode', async () => {
    const blocks = [...snippetsOf('client/README.md', 'ts'), ...snippetsOf('client/README.md', 'tsx')];
    expect(blocks.length).toBeGreaterThan(4);
    const names = blocks.map((_block, index) => `readme-${index}.ts`);
    for (const [index, name] of names.entries())
      await writeFile(
        join(consumer, name),
        `${blocks[index]}
export {};`,
      );
    await cp(join(__dirname, 'consumer/readme.d.ts'), join(consumer, 'readme.d.ts'));
    const options = { module: 'esnext', moduleResolution: 'bundler' };
    expect(await faultsIn(['readme.d.ts', ...names], options)).toBe('');
  });

  it('has types that resolve correctly in every mode', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'test/clients/check-types.mjs'), tarball]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  /** The errors of a strict compiler in the program's files. */
  async function faultsIn(files: string[], options: Record<string, unknown>): Promise<string> {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      ...options,
    };
    await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', consumer, '--singleThreaded']).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  }
});
