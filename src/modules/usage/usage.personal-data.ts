import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Lifecycle } from '../../common/lifecycle';
import { formatAmount } from '../../common/money/amount';
import { formatDay } from '../../common/utc-day';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRow, findRows } from '../../database/statements/find';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { allOf, idIn, type RowCondition } from '../../database/statements/row-condition';
import { updateRows } from '../../database/statements/update';
import { AgentService } from '../agent/agent.api';
import { isHeldChat } from '../hold/hold.api';
import { PriceBook } from '../pricing/pricing.api';
import { PersonalDataRegistry } from '../user/user.api';
import { CostLedger, costOfRow } from './costs/cost-ledger';
import { SideRequestEntity } from './costs/side-request.entity';
import { UsageCostEntity } from './costs/usage-cost.entity';
import { UsageProviderDayEntity } from './costs/usage-provider-day.entity';
import { NewChatEntity } from './folding/new-chat.entity';
import { UsageFolding } from './folding/usage-folding';
import { UsageKeyDayEntity } from './keys/usage-key-day.entity';
import { EmbeddingDayEntity } from './quota/embedding-day.entity';
import { UsageAccountEntity } from './quota/usage-account.entity';
import { UsageAccountQuery } from './quota/usage-account.query';
import { UsageRollupEntity } from './reports/usage-rollup.entity';
import { UsageUserMonthEntity } from './reports/usage-user-month.entity';
import { StoredMetadataEntity } from './storage/stored-metadata.entity';
import { StoredTextEntity } from './storage/stored-text.entity';
import { UsageEntryEntity } from './usage-entry.entity';

/** Counters stay, because the erasure removes the name from their account. */
const keepTotals = (): Promise<void> => Promise.resolve();

/** The personal data of this module: the cost of each message, and sums. */
@Injectable()
export class UsagePersonalData {
  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly folding: UsageFolding,
    private readonly accounts: UsageAccountQuery,
    private readonly ledger: CostLedger,
    private readonly prices: PriceBook,
    private readonly agents: AgentService,
    private readonly registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'usage_totals',
      // The texts are erased with their messages, the metadata with their conversations.
      entities: [UsageAccountEntity, StoredTextEntity, StoredMetadataEntity],
      rows: (userId) => this.totals(userId),
      erase: keepTotals,
    });
    registry.register({
      name: 'usage_by_day',
      // Months are sums of days, new chats will be in the sums of their day, sums of keys and providers are parts of
      // them, and embedded tokens are in `costs`.
      entities: [
        EmbeddingDayEntity,
        UsageRollupEntity,
        UsageUserMonthEntity,
        UsageKeyDayEntity,
        UsageProviderDayEntity,
        NewChatEntity,
      ],
      rows: (userId) => this.days(userId),
      erase: keepTotals,
    });
    registry.register({
      name: 'usage_by_message',
      entities: [UsageEntryEntity],
      rows: (userId) => this.entries(userId),
      erase: (userId) => this.eraseEntries(userId),
    });
    registry.register({
      name: 'costs',
      // A running request will become a row of the ledger.
      entities: [UsageCostEntity, SideRequestEntity],
      rows: (userId) => this.costs(userId),
      erase: (userId) => this.eraseCosts(userId),
    });
  }

  private async *totals(userId: number): AsyncGenerator<object> {
    const { chats, messages, tokens } = (await this.accounts.totalsOf([userId]))(userId);
    if (chats + messages + tokens > 0) {
      yield { total_chats: chats, total_messages: messages, total_tokens: tokens };
    }
  }

  /** Reads one day at a time, so that memory holds the rows of one day only. */
  private async *days(userId: number): AsyncGenerator<object> {
    await this.folding.foldUser(userId);
    const { manager } = this.database;
    const next = (after: number): Promise<Pick<UsageRollupEntity, 'day'> | null> =>
      findRow(
        manager,
        UsageRollupEntity,
        { userId, day: MoreThan(after) },
        { members: ['day'], order: { day: 'ASC' } },
      );
    for (let first = await next(-1); first !== null; first = await next(first.day)) {
      const order = { agentId: 'ASC', model: 'ASC' } as const;
      for (const row of await findRows(manager, UsageRollupEntity, { userId, day: first.day }, { order })) {
        const { day, agentId, model, chats, messages, promptTokens, completionTokens, tokens } = row;
        yield {
          date: formatDay(day),
          agent_id: agentId === 0 ? null : agentId,
          model: model === '' ? null : model,
          chats,
          messages,
          prompt_tokens: promptTokens,
          completion_tokens: completionTokens,
          tokens,
        };
      }
    }
  }

  private async *entries(userId: number): AsyncGenerator<object> {
    for await (const batch of this.entryBatches(userId)) {
      for (const { messageId, chatId, apiKeyId, agentId, role, model, tokens, createdAt } of batch) {
        yield {
          // Without a conversation, these ids refer to nothing that the user can read.
          message_id: chatId === 0 ? null : messageId,
          chat_id: chatId === 0 ? null : chatId,
          api_key_id: apiKeyId,
          agent_id: agentId,
          role,
          model,
          tokens,
          created_at: createdAt.toISOString(),
        };
      }
    }
  }

  private async *costs(userId: number): AsyncGenerator<object> {
    for await (const batch of keysetBatches(this.database.manager, UsageCostEntity, { userId }, { by: 'id' })) {
      const prices = await this.prices.describe(idsIn(batch.map(({ priceId }) => priceId)));
      const keys = await this.registry.namesOf('api_key', idsIn(batch.map(({ apiKeyId }) => apiKeyId)));
      const agents = await this.agents.namesOf(idsIn(batch.map(({ agentId }) => agentId)));
      for (const row of batch) {
        yield {
          id: row.id,
          round: row.round,
          attempt: row.attempt,
          message_id: row.chatId === 0 ? null : row.messageId,
          chat_id: row.chatId === 0 ? null : row.chatId,
          api_key_id: row.apiKeyId,
          api_key: named(row.apiKeyId, keys),
          agent_id: row.agentId === 0 ? null : row.agentId,
          agent: named(row.agentId, agents),
          kind: row.kind,
          provider: row.provider,
          model: row.model,
          model_answered: row.modelAnswered,
          prompt_tokens: row.promptTokens,
          cached_tokens: row.cachedTokens,
          cache_write_tokens: row.cacheWriteTokens,
          cache_write_1h_tokens: row.cacheWrite1hTokens,
          web_searches: row.webSearches,
          completion_tokens: row.completionTokens,
          reasoning_tokens: row.reasoningTokens,
          images: row.images,
          requests: row.requests,
          is_estimated: row.isEstimated,
          cost: formatAmount(costOfRow(row)),
          currency: this.ledger.currency,
          price: row.priceId === null ? null : (prices.get(row.priceId) ?? null),
          at: row.createdAt.toISOString(),
          created_at: row.createdAt.toISOString(),
        };
      }
    }
  }

  /** The rows stay without the user's ids, because budgets and invoices are checked against them. */
  private async eraseCosts(userId: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, SideRequestEntity, { userId }));
    await this.folding.foldUser(userId);
    const withoutUser = { userId: 0, apiKeyId: null, chatId: 0, messageId: null };
    for await (const batch of keysetBatches(this.database.manager, UsageCostEntity, { userId }, { by: 'id' })) {
      this.lifecycle.assertAcceptsWork();
      const ids = batch.map(({ id }) => id);
      await this.registry.writeUnlessHeld(userId, (manager) =>
        updateRows(manager, UsageCostEntity, withoutUser, allOf(idIn(ids), notOfHeldChat('usage_costs'))),
      );
    }
  }

  /** The sums stay. Rows that they do not include yet are added before the erasure. */
  private async eraseEntries(userId: number): Promise<void> {
    await this.folding.foldUser(userId);
    for await (const batch of this.entryBatches(userId)) {
      this.lifecycle.assertAcceptsWork();
      const messageIds = batch.map(({ messageId }) => messageId);
      await this.registry.writeUnlessHeld(userId, (manager) =>
        deleteRows(manager, UsageEntryEntity, allOf(idIn(messageIds, 'message_id'), notOfHeldChat('usage_entries'))),
      );
    }
  }

  private entryBatches(userId: number): AsyncGenerator<UsageEntryEntity[]> {
    return keysetBatches(this.database.manager, UsageEntryEntity, { userId }, { by: 'messageId' });
  }
}

/** A legal hold of a conversation keeps its rows, too. */
function notOfHeldChat(table: string): RowCondition {
  return { condition: `NOT ${isHeldChat(`${table}.chat_id`)}`, parameters: [] };
}

/** The distinct ids. 0 and null mean none. */
function idsIn(values: readonly (number | null)[]): number[] {
  return [...new Set(values.map((id) => id ?? 0))].filter((id) => id !== 0);
}

/** An object with its current name, which is null if there is none any more. */
function named(id: number | null, names: ReadonlyMap<number, string>): { id: number; name: string | null } | null {
  return id === null || id === 0 ? null : { id, name: names.get(id) ?? null };
}
