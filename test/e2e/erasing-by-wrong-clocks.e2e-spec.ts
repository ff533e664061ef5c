// @databases mariadb: dates and times
import { DAY_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { SharedClock } from '../../src/database/shared-clock';
import { BlobCollector, BlobReferences } from '../../src/integrations/blob-store/blob-references';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { MembershipRetention } from '../../src/modules/user/membership/membership.retention';
import { AccountRetention } from '../../src/modules/user/personal-data/account.retention';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { useOwnChatApp } from '../support/use-app';

/** Longer than any retention time. */
const AHEAD_MILLISECONDS = 100 * DAY_MILLISECONDS;

describe('an instance whose clock is months ahead of the shared one', () => {
  const app = useOwnChatApp();

  beforeEach(() => {
    jest.spyOn(app.app.get(SharedClock), 'now').mockImplementation(() => new Date());
  });

  afterEach(() => {
    jest.restoreAllMocks();
    app.resetClock();
  });

  const user = (id: number) =>
    app.app.get(Database).repository(UserEntity).findOneOrFail({ where: { id }, withDeleted: true });

  it('erases no file that was just stored, so that a message can reference it', async () => {
    const { hash } = await app.app.get(BlobStore).hold(Buffer.from('just stored'));
    app.advanceClock(AHEAD_MILLISECONDS);
    const own = await app.app.get(BlobStore).hold(Buffer.from('stored by itself'));
    await app.app.get(BlobCollector).collect();
    expect(await Promise.all([hash, own.hash].map((name) => app.app.get(BlobStore).has(name)))).toEqual([true, true]);
    expect(Math.abs(own.at.getTime() - Date.now())).toBeLessThan(DAY_MILLISECONDS);
    const adding = app.app
      .get(Database)
      .write((manager) => app.app.get(BlobReferences).add(manager, 1, [{ messageId: 1_000_000, hashes: [hash] }]));
    await expect(adding).resolves.toBeGreaterThan(0);
  });

  it('erases no account early, and closes one for the full period', async () => {
    const admin = await AdminClient.of(app);
    const [closed, later] = [await createUser(app), await createUser(app)];
    await admin.delete(`/admin/users/${closed.user.id}`);
    app.advanceClock(AHEAD_MILLISECONDS);
    await app.app.get(AccountRetention).eraseDue();
    expect((await user(closed.user.id)).formerEmail).not.toBeNull();
    app.resetClock();
    app.advanceClock(-AHEAD_MILLISECONDS);
    await admin.delete(`/admin/users/${later.user.id}`);
    expect((await user(later.user.id)).eraseAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it('empties no trash early', async () => {
    const client = await app.newClient();
    const { id } = await client.createChat();
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    app.advanceClock(AHEAD_MILLISECONDS);
    await app.app.get(ChatRetention).purge();
    app.resetClock();
    expect((await client.request(`/chat/${id}/restore`, { method: 'POST' })).status).toBe(200);
  });

  it('ends no membership early', async () => {
    const membershipExpiresAt = new Date(Date.now() + 10 * DAY_MILLISECONDS);
    const { user: member } = await createUser(app, { membershipType: 'monthly', membershipExpiresAt });
    app.advanceClock(AHEAD_MILLISECONDS);
    await app.app.get(MembershipRetention).expire();
    expect((await user(member.id)).membershipType).toBe('monthly');
  });
});
