// @databases mariadb: leases of a dead instance, and two instances that share one database
// @part rest: starts and kills the built service
import { RedisConnection } from '../../src/common/redis/redis-connection';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { ServiceProcess, SMALL } from '../support/chat-process';
import { EmbeddingServer } from '../support/embedding-server';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { KilledIngestion } from '../support/ingestion-kills';
import { KnowledgeClient } from '../support/knowledge';
import { untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';

/** Another instance continues within this time. */
const TAKEN_MILLISECONDS = 15_000;

it('reads all files completely although the service is killed while it reads them', async () => {
  const service = await KilledIngestion.start(2);
  try {
    for (let kills = 0; kills < 3;) {
      kills = await service.kill();
    }
    const { entries, ...outcome } = await service.finish();
    const nothing = { wrongPassages: 0, unindexed: 0, sentTooOften: 0, sentAgainWithoutKill: 0 };
    expect(outcome).toEqual({ ...nothing, completed: entries });
  } finally {
    await service.close();
  }
}, 600_000);

// A SQLite file has one instance.
if (databaseEngine() !== 'sqlite') {
  describe('two instances with one database and Redis', () => {
    let server: EmbeddingServer;
    let redis: RedisServer;
    let app: TestApp;
    let other: Awaited<ReturnType<typeof startInstance>>;

    beforeAll(async () => {
      [server, redis] = await Promise.all([EmbeddingServer.start(), startRedisServer()]);
      app = await startTestApp({
        REDIS_URL: redis.url,
        LLM_PROVIDER: 'openai-compatible',
        LLM_BASE_URL: server.url,
        LLM_MODEL: 'scripted',
        EMBEDDING_PROVIDER: 'default',
        EMBEDDING_MODEL: 'words-16',
        KNOWLEDGE_INGESTIONS: '0',
      });
      other = await startInstance({ ...app.environment, KNOWLEDGE_INGESTIONS: '2' });
      await Promise.all([app, other].map((each) => untilShared(each.app.get(RedisConnection))));
    });

    afterAll(async () => {
      await other.app.close();
      await app.close();
      await server.close();
      await redis.stop();
    });

    /** The same user at the other instance. */
    const elsewhere = ({ account }: KnowledgeClient): KnowledgeClient => new KnowledgeClient(other, account);

    const ended = (client: KnowledgeClient, storeId: number, fileId: number): Promise<EntryDto> =>
      eventually(async () => {
        const entry = await client.data<EntryDto>(`/knowledge/${storeId}/files/${fileId}`);
        return entry.status === 'in_progress' ? null : entry;
      });

    async function addFile(client: KnowledgeClient, storeId: number, content: string): Promise<number> {
      const { id } = await client.upload({ content });
      await client.attach(storeId, id);
      expect(await ended(client, storeId, id)).toMatchObject({ status: 'completed', warning: null });
      return id;
    }

    const search = (client: KnowledgeClient, storeId: number, query: string) =>
      client.data<{ results: { file_id: number }[] }>(`/knowledge/${storeId}/search`, { body: { query } });

    it('find the same passages, and none of a file that was just deleted at the other one', async () => {
      const client = await KnowledgeClient.of(app);
      const store = await client.createStore();
      const files: number[] = [];
      for (const content of ['cats purr at night', 'ships sail at night', 'the night is dark']) {
        files.push(await addFile(client, store.id, content));
      }
      for (const query of ['night', 'cats', 'ships that sail']) {
        expect(await search(elsewhere(client), store.id, query)).toEqual(await search(client, store.id, query));
      }
      await client.data(`/files/${files[0]}`, { method: 'DELETE' });
      const found = (await search(elsewhere(client), store.id, 'night')).results.map(({ file_id }) => file_id);
      expect(found.sort()).toEqual(files.slice(1));
    });

    it('apply a right that was lost at the other one to the next request', async () => {
      const admin = await AdminClient.of(app);
      const [owner, member] = [await KnowledgeClient.of(app), await KnowledgeClient.of(app)];
      const { id: groupId } = (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body
        .data;
      for (const { id } of [owner, member]) {
        await admin.post(`/admin/groups/${groupId}/members`, { user_id: id });
      }
      const access = { groups: [{ group_id: groupId, role: 'reader' }] };
      const store = await owner.createStore({ access });
      await addFile(owner, store.id, 'a shared text');
      expect((await search(elsewhere(member), store.id, 'shared')).results).toHaveLength(1);
      await admin.delete(`/admin/groups/${groupId}/members/${member.id}`);
      const refused = await elsewhere(member).send(`/knowledge/${store.id}/search`, { body: { query: 'shared' } });
      expectFailure(refused, 404, 'KNOWLEDGE_NOT_FOUND');
    });

    it('continue what a killed instance was reading within 15 seconds', async () => {
      const client = await KnowledgeClient.of(app);
      const store = await client.createStore();
      const killed = await ServiceProcess.start({ ...app.environment, ...SMALL, KNOWLEDGE_INGESTIONS: '2' });
      // The other instance takes no jobs until the first one has one.
      const sent = server.requests.length;
      server.acts.push({ kind: 'stall' });
      await other.app.close();
      const { id } = await client.upload({ content: 'read by two instances' });
      await client.attach(store.id, id);
      await eventually(() => server.requests.length > sent);
      other = await startInstance({ ...app.environment, KNOWLEDGE_INGESTIONS: '2' });
      const begun = performance.now();
      await killed.end('SIGKILL');
      await eventually(() => server.requests.length > sent + 1);
      expect(performance.now() - begun).toBeLessThan(TAKEN_MILLISECONDS);
      expect(await ended(client, store.id, id)).toMatchObject({ status: 'completed', warning: null, passages: 1 });
    });
  });
}
