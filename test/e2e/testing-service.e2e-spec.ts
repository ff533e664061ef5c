import { startTestService, type TestService } from '../../src/testing/testing.api';
import { newcomer } from '../support/accounts';
import { call, expectFailure } from '../support/http';

const DAY_MILLISECONDS = 86_400_000;

describe('the service of chat-service/testing', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ environment: { LOG_LEVEL: 'silent' } });
  });
  afterAll(() => service.close());

  async function receiveCode(email: string): Promise<string | undefined> {
    await call(`${service.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    const { text } = await service.mails.waitForMail(email);
    return /\b\d{6}\b/.exec(text)?.[0];
  }

  it('catches mails, and moves the clock past the end of a code', async () => {
    const { email, username, password } = newcomer();
    const code = await receiveCode(email);
    service.advanceClock(DAY_MILLISECONDS);
    const late = await call(`${service.url}/auth/register`, { body: { email, username, password, code } });
    expectFailure(late, 400, 'INVALID_CODE');
    service.resetClock();
    const body = { email, username, password, code: await receiveCode(email) };
    expect((await call(`${service.url}/auth/register`, { body })).status).toBe(200);
  });

  it('refuses mails like a mail server that is down', async () => {
    service.mails.refuse('unreachable');
    service.advanceClock(DAY_MILLISECONDS);
    const { email } = newcomer();
    const refused = await call(`${service.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    expectFailure(refused, 503, 'EMAIL_SEND_FAILED');
    service.mails.refuse(undefined);
    service.resetClock();
  });

  it('replies as the script of the model says, and fails as it says', async () => {
    const user = await service.newUser();
    await service.model.script({ key: 'Hi', steps: [{ text: 'Good ' }, { text: 'morning.' }] });
    await service.model.script({ key: 'Fail', status: 400, body: '{}' });
    const replied = await user.send(await user.startChat(), 'Hi');
    expect(replied.body[1]).toMatchObject({ content: 'Good morning.', status: 'completed' });
    const failed = await user.send(await user.startChat(), 'Fail');
    expect(failed.status).toBeGreaterThanOrEqual(400);
  });
});
