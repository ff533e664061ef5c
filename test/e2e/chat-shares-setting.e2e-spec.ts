import type { NewShareDto } from '../../src/modules/share/share.dto';
import { ShareRetention } from '../../src/modules/share/share.retention';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';

describe('sharing on an installation', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);

  it('is open to everybody, or to nobody, as administrators say', async () => {
    const owner = await app.newClient();
    const { id } = await owner.createChat();
    const shareOf = (body: object = {}) => owner.request<NewShareDto>(`/chat/${id}/shares`, { body });
    const first = (await shareOf()).body.token;
    const anybody = (token: string) => call(`${app.url}/shared/${token}`);

    expect((await admin.put('/admin/settings', { sharing: 'everyone' })).body.data).toMatchObject({
      sharing: 'everyone',
    });
    expect((await anybody(first)).status).toBe(200);
    expectFailure(await call(`${app.url}/shared/${first}/continue`, { method: 'POST' }), 401, 'UNAUTHORIZED');

    app.advanceClock(1_000);
    const { body } = await admin.put('/admin/settings', { sharing: 'off' });
    expect(JSON.stringify(body)).not.toContain('sharing_ended_at');
    expectFailure(await anybody(first), 404, 'SHARE_NOT_FOUND');
    expectFailure(await shareOf(), 404, 'SHARE_NOT_FOUND');
    expect((await owner.request(`/chat/${id}/shares`)).body).toEqual([]);

    app.advanceClock(1_000);
    await admin.put('/admin/settings', { sharing: 'everyone' });
    expectFailure(await anybody(first), 404, 'SHARE_NOT_FOUND');
    const ending = (await shareOf({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })).body.token;
    expect((await anybody(ending)).status).toBe(200);
    app.advanceClock(3_600_000);
    expectFailure(await anybody(ending), 404, 'SHARE_NOT_FOUND');

    app.advanceClock(31 * 86_400_000);
    await app.app.get(ShareRetention).removeEnded();
    expectFailure(await anybody(ending), 404, 'SHARE_NOT_FOUND');
  });
});
