import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { listen, ListenError } from './listen';

class NoModule {}

describe('listen', () => {
  async function refusalOf(port: number, host: string): Promise<unknown> {
    const app = await NestFactory.create(NoModule, { logger: false });
    const refusal = await listen(app, port, host).catch((error: unknown) => error);
    await app.close();
    return refusal;
  }

  it('explains what to do when another program uses the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const refusal = await refusalOf(port, '127.0.0.1');
    expect(refusal).toBeInstanceOf(ListenError);
    expect((refusal as Error).message).toBe(
      `The service cannot listen on 127.0.0.1, port ${port}: another program listens there already. Stop it, or set ` +
        'another PORT (EADDRINUSE).',
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it('explains what to do when there is no such address', async () => {
    const refusal = await refusalOf(0, '999.999.1.1');
    expect(refusal).toBeInstanceOf(ListenError);
    expect((refusal as Error).message).toMatch(/^The service cannot listen on 999\.999\.1\.1, port 0: .*Set HOST/);
  });
});
