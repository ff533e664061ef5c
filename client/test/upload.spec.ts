import { createChatClient } from '../src';
import { cut, good, refused, ScriptedServer, stalled } from './scripted-server';

const FILE = new File(['The sea is warm in May.'], 'sea – notes.txt', { type: 'text/plain' });

describe('files of the client', () => {
  let server: ScriptedServer;
  const newClient = () => createChatClient({ baseUrl: server.baseUrl, accessToken: 'ck_1' });

  beforeAll(async () => (server = await ScriptedServer.start()));
  afterAll(() => server.close());

  it('are sent as a form with their names', async () => {
    server.script(good({ data: { id: 7 } }));
    expect(await newClient().files.upload(FILE)).toEqual({ id: 7 });
    expect(server.routes).toEqual(['POST /api/v1/files']);
    expect(server.requests[0]?.body).toMatch(
      /name="file"; filename="sea – notes.txt"[^]+\r\n\r\nThe sea is warm in May.\r\n--/,
    );
  });

  it('are sent again with the same key after a lost connection', async () => {
    server.script(cut, good({ data: { id: 7 } }));
    expect(await newClient().files.upload(FILE)).toEqual({ id: 7 });
    const [first, second] = server.requests.map(({ key }) => key);
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(second).toBe(first);
  });

  it('are not sent again if the service refuses them', async () => {
    server.script(refused(413, 'FILE_TOO_LARGE'));
    await expect(newClient().files.upload(FILE)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(server.requests).toHaveLength(1);
  });

  it('can be cancelled', async () => {
    server.script(stalled);
    const leaving = new AbortController();
    const upload = newClient().files.upload(FILE, { signal: leaving.signal });
    setTimeout(() => leaving.abort(), 50);
    await expect(upload).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are sent with other fields to a collection', async () => {
    server.script(good());
    const body = { file: FILE, attributes: '{"year":2026}' };
    await newClient().knowledge.addFile({ path: { id: 3 }, body });
    expect(server.requests[0]?.body).toMatch(/name="attributes"\r\n\r\n\{"year":2026\}\r\n/);
    await newClient().knowledge.addFile({ path: { id: 3 }, body: { file_id: 7 } });
    expect(server.requests[1]?.body).toEqual({ file_id: 7 });
  });
});
