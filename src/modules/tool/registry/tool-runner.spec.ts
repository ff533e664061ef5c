import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const LOADER = resolve(__dirname, '../../../../test/support/source-loader.js');

/** Jest handles all unhandled rejections itself, so the tools run in another process. */
const run = (script: string) =>
  promisify(execFile)(process.execPath, ['-r', LOADER, '-e', script], { cwd: __dirname, timeout: 60_000 });

const PREPARED = `
  require('reflect-metadata');
  const { ToolRunner } = require('./tool-runner.ts');
  const runner = new ToolRunner();
  runner.onModuleInit();
  const tool = (call) => ({ name: 'careless', readOnly: false, timeoutSeconds: 30, call });
  const context = { userId: 1, chatId: null, messageId: null, callId: 'call', idempotencyKey: 'call' };
  const print = ({ state, reason }) => console.log('outcome: ' + state + ' ' + reason);
`;

describe('a tool with an unhandled rejected promise', () => {
  it('leaves its call without a result and does not stop the process', async () => {
    const { stdout, stderr } = await run(`${PREPARED}
      const careless = tool(() => {
        void (async () => { await null; throw new Error('stray'); })();
        return new Promise(() => undefined);
      });
      void runner.run(careless, {}, context).then(print);
    `);
    expect(stdout).toContain('outcome: unknown error');
    expect(stdout + stderr).toContain('careless');
  });

  it('does not stop the process after its call either', async () => {
    const { stdout } = await run(`${PREPARED}
      const careless = tool(() => {
        setTimeout(() => void Promise.reject(new Error('stray')), 20);
        return 'Done.';
      });
      void runner.run(careless, {}, context).then(print);
      setTimeout(() => console.log('alive'), 200);
    `);
    expect(stdout).toMatch(/outcome: succeeded[^]*alive/);
  });

  it('does not affect other rejections, which stop the process', async () => {
    const ended = run(`${PREPARED} void Promise.reject(new Error('ours')); setTimeout(() => undefined, 5_000);`);
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ours') });
  });
});
