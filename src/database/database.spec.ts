import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Logger } from '@nestjs/common';
import { connectionSettings } from './connection/connection-settings';
import { dataSourceOptions } from './connection/data-source-options';
import { ServiceDataSource } from './connection/service-data-source';
import { Database } from './database';

describe('a server that closes every connection', () => {
  it('is retried, and logged once', async () => {
    let calls = 0;
    let isCalledOften = (): void => undefined;
    const often = new Promise<void>((resolve) => (isCalledOften = resolve));
    const server = createServer((socket) => {
      socket.destroy();
      if (++calls === 3) isCalledOften();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const settings = connectionSettings(`mysql://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c`);
    const database = new Database(new ServiceDataSource(dataSourceOptions(settings, [])), settings);
    await database.onModuleInit();
    await often;
    await database.onApplicationShutdown();
    // File databases that ran earlier in this process may warn too.
    const own = warned.mock.calls.filter(([text]) => / is not there yet /.test(String(text)));
    expect(own).toEqual([[expect.stringMatching(/ is not there yet \(.+\): waiting for it/)]]);
    warned.mockRestore();
    await new Promise((resolve) => server.close(resolve));
  });
});
