// @part rest: stops and starts a database server
import { Logger } from '@nestjs/common';
import { Database } from '../../src/database/database';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SqlServer } from '../support/servers/sql-server';
import { TcpRelay } from '../support/servers/tcp-relay';
import { startInstance } from '../support/test-app';

describeWithProgram('mariadbd', 'a database that goes away', () => {
  let server: SqlServer;
  let relay: TcpRelay;
  let environment: Record<string, string>;
  let app: Awaited<ReturnType<typeof startInstance>>;

  beforeAll(async () => {
    // The server is killed below, and must remember that it was migrated.
    server = await startMariadbServer({ durable: true });
    relay = await TcpRelay.start(server.port);
    await server.stop({ keepData: true });
    environment = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      RATE_LIMIT_AUTH: '1000',
      DATABASE_URL: `${server.url.replace(`:${server.port}/`, `:${relay.port}/`)}?pool=4`,
    };
    app = await startInstance(environment, false);
  });

  afterAll(async () => {
    await app.app.close();
    await relay.stop();
    await server.stop();
  });

  let people = 0;
  const logIn = () =>
    call(`${app.url}/auth/login`, { body: { email: `nobody${people++}@example.com`, password: 'a wrong one' } });
  const expectAway = async () => {
    const error = expectFailure(await logIn(), 503, 'SERVICE_UNAVAILABLE');
    expect(error.retry_after).toBeGreaterThanOrEqual(1);
    expectFailure(await call(`${app.origin}/health/ready`), 503, 'SERVICE_UNAVAILABLE');
    expect((await call(`${app.origin}/health/live`)).status).toBe(200);
  };

  it('lets the service start without it, and become ready when it is up', async () => {
    await expectAway();
    await server.start();
    await app.app.get(Database).whenReady();
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });

  it('is logged once by load balancer probes, and once when it is back', async () => {
    const logged = (['log', 'warn', 'error'] as const).map((level) => jest.spyOn(Logger.prototype, level));
    const told = (text: string) =>
      logged.flatMap(({ mock }) => mock.calls).filter((parts) => parts.map(String).join(' ').includes(text)).length;
    const probe = async () => (await call(`${app.origin}/health/ready`)).status;
    expect(await probe()).toBe(200);
    await server.kill();
    expect([await probe(), await probe(), await probe()]).toEqual([503, 503, 503]);
    await server.start();
    await eventually(async () => (await probe()) === 200);
    expect([told('The service is not ready'), told('The service is ready again')]).toEqual([1, 1]);
    expect(told('SERVICE_UNAVAILABLE')).toBe(0);
    jest.restoreAllMocks();
  });

  it('answers 503 after a crash, and is used again when it is back', async () => {
    await server.kill();
    await expectAway();
    await server.start();
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });

  it('answers 503 while it hangs, within a few seconds', async () => {
    await server.freeze();
    const answers = await Promise.all(Array.from({ length: 12 }, logIn));
    server.resume();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });

  it('is reached over new connections after the old ones have died silently', async () => {
    await Promise.all(Array.from({ length: 12 }, logIn));
    relay.silence();
    expectFailure(await logIn(), 503, 'SERVICE_UNAVAILABLE');
    for (const answer of await Promise.all(Array.from({ length: 12 }, logIn))) {
      expectFailure(answer, 401, 'INVALID_CREDENTIALS');
    }
  });

  it('delays the shutdown of the service by a few seconds only', async () => {
    const second = await startInstance(environment, false);
    await second.app.get(Database).whenReady();
    relay.silence();
    const start = performance.now();
    await second.app.close();
    // Far below the 180 seconds of a test, and far above the delay of a busy machine.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});
