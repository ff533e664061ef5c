import { Database } from '../../src/database/database';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { SqlServer } from '../support/servers/sql-server';
import { startInstance } from '../support/test-app';

describeWithProgram('mariadbd', 'a database that goes away', () => {
  let server: SqlServer;
  let app: Awaited<ReturnType<typeof startInstance>>;

  beforeAll(async () => {
    server = await startMariadbServer();
    await server.stop({ keepData: true });
    const environment = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      DATABASE_URL: `${server.url}?pool=4`,
    };
    app = await startInstance(environment, false);
  });

  afterAll(async () => {
    await app.app.close();
    await server.stop();
  });

  const logIn = () => call(`${app.url}/auth/login`, { body: { email: 'nobody@example.com', password: 'a wrong one' } });
  const expectAway = async () => {
    const error = expectFailure(await logIn(), 503, 'SERVICE_UNAVAILABLE');
    expect(error.retry_after).toBeGreaterThanOrEqual(1);
    expectFailure(await call(`${app.origin}/health/ready`), 503, 'SERVICE_UNAVAILABLE');
    expect((await call(`${app.origin}/health/live`)).status).toBe(200);
  };

  it('lets the service start without it, and become ready when it comes', async () => {
    await expectAway();
    await server.start();
    await app.app.get(Database).whenReady();
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });

  it('is answered with 503 after a crash, and used again when it is back', async () => {
    await server.kill();
    await expectAway();
    await server.start();
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });

  it('is answered with 503 while it hangs, without more than a few seconds of waiting', async () => {
    server.freeze();
    const answers = await Promise.all(Array.from({ length: 12 }, logIn));
    server.resume();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expectFailure(await logIn(), 401, 'INVALID_CREDENTIALS');
  });
});
