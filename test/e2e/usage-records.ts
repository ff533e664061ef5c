import { Clock } from '../../src/common/clock';
import type { Tier } from '../../src/common/security/principal';
import { tokenUsage } from '../../src/common/token-usage';
import { Database } from '../../src/database/database';
import type { QuotaRemaining } from '../../src/modules/usage/quota/quota.service';
import { type ReplyRecord, UsageService } from '../../src/modules/usage/usage.service';
import type { TestApp } from '../support/test-app';

const CHAT_ID = 1;
let lastMessageId = 0;

/** Counts like the chat module, with made-up chats and messages. */
export class UsageRecords {
  private readonly database: Database;
  private readonly usage: UsageService;

  constructor(
    private readonly app: Pick<TestApp, 'app'>,
    readonly userId: number,
    readonly tier: Tier = 'normal',
    readonly agentId = 1,
  ) {
    this.database = app.app.get(Database);
    this.usage = app.app.get(UsageService);
  }

  chat(): Promise<void> {
    const { userId, agentId } = this;
    return this.database.write((manager) =>
      this.usage.recordChat(manager, { userId, apiKeyId: null, agentId, at: this.now() }),
    );
  }

  message(): Promise<QuotaRemaining> {
    const { userId, tier, agentId } = this;
    const message = {
      userId,
      tier,
      apiKeyId: null,
      tokensPerDay: null,
      agentId,
      chatId: CHAT_ID,
      messageId: ++lastMessageId,
    };
    return this.database.write((manager) => this.usage.recordUserMessage(manager, { ...message, at: this.now() }));
  }

  reply(tokens: number, details: Partial<ReplyRecord> = {}): Promise<void> {
    const { userId, agentId } = this;
    const model = details.model ?? 'model-a';
    const at = this.now();
    return this.database.write((manager) =>
      this.usage.recordReply(manager, {
        userId,
        apiKeyId: null,
        agentId,
        chatId: CHAT_ID,
        messageId: ++lastMessageId,
        model,
        usage: tokenUsage(Math.max(0, tokens - 1), Math.min(1, tokens)),
        status: 'completed',
        startedAt: at,
        at,
        firstTokenMs: 100,
        returnMessage: false,
        ...details,
      }),
    );
  }

  now(): Date {
    return this.app.app.get(Clock).now();
  }
}

/** Milliseconds from the service's current time to the next UTC noon, where no test runs into midnight. */
export function untilNextNoon(app: Pick<TestApp, 'app'>): number {
  const now = app.app.get(Clock).now().getTime();
  return 1.5 * 86_400_000 - (now % 86_400_000);
}
