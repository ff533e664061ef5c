import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { countRows, findRow } from '../../src/database/statements/find';
import { insertBatch, insertRow, insertRows } from '../../src/database/statements/insert';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { LegalHoldEntity } from '../../src/modules/hold/legal-hold.entity';
import { RetentionSweepEntity } from '../../src/modules/retention/sweeping/retention-sweep.entity';
import { createUser } from './accounts';
import { AdminClient } from './admin-client';
import { ServiceProcess, SMALL } from './chat-process';
import { eventually } from './eventually';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { startInstance, startTestApp } from './test-app';

/** Milliseconds after a start within which the process is killed. A sweep begins with the start. */
const LATEST_KILL = 3_000;

const MESSAGES = 2;

const DAY = 86_400_000;

/** What is in the database at the end, compared with what should be. */
interface SweepOutcome {
  heldChatsLost: number;
  heldMessagesLost: number;
  dueChatsLeft: number;
  dueMessagesLeft: number;
  /** Held conversations that their owner still sees. */
  heldShown: number;
}

/** A service that is killed again and again while it deletes conversations, half of which are held. */
export class KilledSweeps {
  private constructor(
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
    private readonly chats: number,
    private readonly heldUser: number,
    private readonly freeUser: number,
  ) {}

  /** @param chats half of them of a held user */
  static async start(chats: number): Promise<KilledSweeps> {
    const database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url });
    const admin = await AdminClient.of(app);
    const [held, free] = [(await createUser(app)).user.id, (await createUser(app)).user.id];
    await app.app.get(Database).write(async (manager) => {
      const createdAt = new Date();
      await insertRow(manager, LegalHoldEntity, {
        scope: 'user',
        scopeId: held,
        name: 'Lawsuit',
        reason: 'Lawsuit',
        notify: false,
        until: null,
        status: 'active',
        createdBy: admin.id,
        createdAt,
        releasedBy: null,
        releasedAt: null,
        releaseReason: null,
      });
      const hold = await findRow(manager, LegalHoldEntity, {});
      await manager.query(
        `INSERT INTO legal_hold_users (hold_id, user_id, is_active, since) VALUES (${hold!.id}, ${held}, 1, '2026-01-01')`,
      );
    });
    const killed = new KilledSweeps(database, { ...app.environment, ...SMALL }, chats, held, free);
    await killed.addChats(app.app.get(Database), [held, free], chats / 2);
    const body = { scope: 'service', kind: 'chats', days: 30, effective_at: '2020-01-01T00:00:00Z' };
    // The policy comes last, and the instance stops before its next sweep.
    const { status } = await admin.post('/admin/retention', body);
    expect(status).toBe(201);
    await app.close();
    return killed;
  }

  /** Starts the service, and kills it a moment later. @returns whether a sweep was interrupted */
  async kill(): Promise<boolean> {
    const process = await ServiceProcess.start(this.environment);
    await delay(randomInt(LATEST_KILL));
    await process.end('SIGKILL');
    const { app } = await startInstance({ ...this.environment, RETENTION_PAUSED: 'true' });
    const database = app.get(Database);
    const sweep = await findRow(database.manager, RetentionSweepEntity, {}, { order: { id: 'DESC' } });
    await this.makeDue(database);
    await app.close();
    return sweep?.status === 'running' || sweep?.status === 'cut';
  }

  /** Lets the next start sweep at once, with enough conversations of the user without a hold. */
  private async makeDue(database: Database): Promise<void> {
    const left = await countRows(database.manager, ChatEntity, { userId: this.freeUser });
    if (left < this.chats / 10) {
      await this.addChats(database, [this.freeUser], this.chats / 4);
    }
    // Sweeps are due after an hour, and other instances wait for a minute before they take one over.
    await database.write((manager) =>
      manager.query("UPDATE retention_sweeps SET seen_at = '2026-01-01', started_at = '2026-01-01'"),
    );
  }

  /** Lets the service finish, and compares. */
  async finish(): Promise<SweepOutcome> {
    const { app } = await startInstance(this.environment);
    const database = app.get(Database);
    const { manager } = database;
    const freeMessages = `chat_id NOT IN (SELECT id FROM chats WHERE user_id = ${this.heldUser})`;
    const left = (): Promise<number> =>
      countRows(manager, ChatEntity, { userId: this.freeUser }, { withDeleted: true });
    await eventually(async () => (await left()) === 0, 600).catch(() => undefined);
    const held = { userId: this.heldUser };
    const messages = await countRows(manager, MessageEntity, {});
    const dueMessagesLeft = await countRows(manager, MessageEntity, { condition: freeMessages, parameters: [] });
    const outcome = {
      heldChatsLost: this.chats / 2 - (await countRows(manager, ChatEntity, held, { withDeleted: true })),
      heldMessagesLost: (this.chats / 2) * MESSAGES - (messages - dueMessagesLeft),
      dueChatsLeft: await left(),
      dueMessagesLeft,
      heldShown: await countRows(manager, ChatEntity, held),
    };
    await app.close();
    return outcome;
  }

  close(): Promise<void> {
    return this.database.drop();
  }

  private async addChats(database: Database, users: readonly number[], each: number): Promise<void> {
    for (let done = 0; done < each; done += 250) {
      for (const userId of users) {
        await database.write((manager) => this.insert(manager, userId, Math.min(250, each - done)));
      }
    }
  }

  private async insert(manager: Parameters<typeof insertBatch>[0], userId: number, count: number): Promise<void> {
    const at = new Date(Date.now() - 40 * DAY);
    const chat = {
      userId,
      agentId: 1,
      title: 'Due',
      hasPlaceholderTitle: false,
      language: null,
      isPinned: false,
      isArchived: false,
      tags: [],
      knowledge: null,
      messageCount: MESSAGES,
      lastMessageAt: at,
      activeMessageId: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    };
    const ids = await insertRows(
      manager,
      ChatEntity,
      Array.from({ length: count }, () => chat),
    );
    const rows = ids.flatMap((chatId) =>
      Array.from({ length: MESSAGES }, (_value, index) => ({
        chatId,
        position: 0,
        role: index === 0 ? ('user' as const) : ('assistant' as const),
        content: 'Due.',
        status: 'completed' as const,
        isCurrent: true,
        tokenCount: 2,
        createdAt: at,
        updatedAt: at,
        completedAt: at,
      })),
    );
    await insertBatch(manager, MessageEntity, rows as unknown as MessageEntity[]);
  }
}
