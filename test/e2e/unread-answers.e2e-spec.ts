import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { dataUrl, png } from '../support/sent-images';
import { UnreadAnswer } from '../support/unread-answer';
import { useOwnChatApp } from '../support/use-app';

const MB = 1_048_576;
const MOST_OF_USER = 64 * MB;
const MOST_OF_ALL = 192 * MB;

const IMAGES = '&include[]=message.input_image.image_url';

/** A client that requests much and reads nothing may not exhaust the memory of the process. */
describe('unread answers', () => {
  const app = useOwnChatApp();
  const begun: UnreadAnswer[] = [];

  afterEach(async () => {
    begun.splice(0).forEach((answer) => answer.end());
    await eventually(async () => (await waiting()) === 0);
  });

  const waiting = async (): Promise<number> =>
    Number(/^unread_answers_bytes (\d+)$/m.exec((await call(`${app.origin}/metrics`)).text)?.[1]);

  /** A user with a conversation of one image, and its items as 12 MB of JSON. */
  async function newReader(): Promise<{ token: string; url: string }> {
    const { token } = await app.newClient();
    const client = new ResponsesClient(app.origin, token, 'General assistant');
    const items = [{ role: 'user', content: [{ type: 'input_image', image_url: dataUrl(png(9 * MB)) }] }];
    const { id } = (await client.request<{ id: string }>('/conversations', { body: { items } })).body;
    return { token, url: `${app.origin}/openai/v1/conversations/${id}/items?limit=1${IMAGES}` };
  }

  async function ask({ token, url }: { token: string; url: string }, count: number): Promise<UnreadAnswer[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => UnreadAnswer.ask(url, token)));
    begun.push(...answers);
    // At the limit the figure stays while each new answer cuts another one.
    await Promise.all(answers.map((answer) => answer.begins()));
    return answers;
  }

  /** When no more are sent, the figure stays. */
  async function settled(): Promise<number> {
    let before = -1;
    await eventually(async () => {
      const now = await waiting();
      const isSettled = now > 0 && now === before;
      before = now;
      return isSettled;
    });
    return before;
  }

  it('are cut beyond 64 MiB for one account, and the others arrive completely', async () => {
    const reader = await newReader();
    const answers = await ask(reader, 12);
    expect(await settled()).toBeLessThanOrEqual(MOST_OF_USER);
    expect((await call(reader.url, { token: reader.token })).status).toBe(200);
    const isWhole = await Promise.all(answers.map((answer) => answer.isWhole()));
    const whole = isWhole.filter(Boolean).length;
    expect(whole).toBeGreaterThanOrEqual(4);
    expect(whole).toBeLessThan(9);
  });

  it('are cut beyond 192 MiB for all accounts, starting with the largest backlog', async () => {
    const modest = await newReader();
    const [own] = await ask(modest, 1);
    await eventually(async () => (await waiting()) > 0);
    for (let account = 0; account < 4; account++) {
      await ask(await newReader(), 6);
      await settled();
    }
    expect(await settled()).toBeLessThanOrEqual(MOST_OF_ALL);
    expect(await own?.isWhole()).toBe(true);
  });
});
