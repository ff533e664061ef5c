import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import express from 'express';
import type { BrowserContext, Page } from 'playwright-core';
import { createUser, type TestAccount } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { sharedBrowser } from '../support/shared-browser';
import { useChatApp } from '../support/use-app';

const ROOT = join(__dirname, '../..');
const CLIENTS = join(ROOT, 'test/clients/node_modules');
const CLIENT_FILE = '/node_modules/chat-service-client/dist/index.js';
const REPLY = 'Hello from the model.';

describe('the frontend examples, in a browser', () => {
  const app = useChatApp();
  let browser: BrowserContext;
  let page: Page;
  let account: TestAccount;
  let plain: Server;
  let useChat: Server;

  beforeAll(async () => {
    const [client, react] = await Promise.all([
      bundle({ entryPoints: [join(ROOT, 'client/src/index.ts')] }),
      bundle({
        entryPoints: [join(ROOT, 'examples/use-chat/src/main.jsx')],
        jsx: 'automatic',
        alias: {
          'chat-service-client': join(ROOT, 'client/src/index.ts'),
          'chat-service-client/use-chat': join(ROOT, 'client/src/use-chat.ts'),
          // The same origin for the page and its libraries.
          react: join(CLIENTS, 'react'),
          'react-dom': join(CLIENTS, 'react-dom'),
        },
        nodePaths: [CLIENTS],
        define: { 'process.env.NODE_ENV': '"production"' },
      }),
    ]);
    browser = await (await sharedBrowser()).newContext();
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    const script = (path: string, body: string) =>
      express().get(path, (_request, response) => void response.type('js').send(body));
    // Separate origins: a page at an intercepted address may not send requests to this machine.
    plain = await serve(script(CLIENT_FILE, client).use(express.static(join(ROOT, 'examples/plain'))));
    useChat = await serve(script('/src/main.jsx', react).use(express.static(join(ROOT, 'examples/use-chat'))));
  });

  beforeEach(async () => {
    account = await createUser(app);
  });

  afterEach(() => page.evaluate('localStorage.clear()'));

  afterAll(async () => {
    await browser.close();
    [plain, useChat].forEach((server) => server.close());
  });

  async function signIn(server: Server): Promise<void> {
    await page.goto(`${addressOf(server)}/?service=${app.origin}`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Message').waitFor();
  }

  async function send(content: string): Promise<void> {
    await page.getByLabel('Message').fill(content);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  describe.each([
    ['plain', () => plain, '.assistant'],
    ['use-chat', () => useChat, '.assistant p'],
  ])('%s', (_name, server, reply) => {
    it('signs in, sends and shows the reply, also after a reload', async () => {
      const content = uniqueContent();
      await signIn(server());
      await send(content);
      await page.locator(reply, { hasText: REPLY }).waitFor();
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
      await page.reload();
      await page.locator(reply, { hasText: REPLY }).waitFor();
      expect(await page.getByText(content).count()).toBe(1);
    });

    it('continues a reply after a reload in its middle, and stops it', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Half' }, { stall: true }] });
      await signIn(server());
      await send(content);
      await page.locator(reply, { hasText: 'Half' }).waitFor();
      await page.reload();
      await page.locator(reply, { hasText: 'Half' }).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
      expect(await page.locator(reply).allTextContents()).toEqual(['Half']);
    });

    it('shows a message for a wrong password', async () => {
      await page.goto(`${addressOf(server())}/?service=${app.origin}`);
      await page.getByLabel('E-mail').fill(account.email);
      await page.getByLabel('Password').fill('another password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    });
  });

  async function serve(files: express.Application): Promise<Server> {
    const server = files.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function bundle(options: BuildOptions): Promise<string> {
    const { outputFiles } = await build({
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      logLevel: 'silent',
      ...options,
    });
    return outputFiles![0]!.text;
  }
});
