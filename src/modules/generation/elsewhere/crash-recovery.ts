import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.api';
import { ChatEntity } from '../../chat/conversations/chat.entity';
import { HIDDEN_AT } from '../../chat/conversations/hidden-chat';
import { MessageEntity } from '../../chat/conversations/message.entity';
import { Answerers } from '../../chat/asking/answerers';
import { WishesStore } from '../../chat/asking/wishes.store';
import { ReplyFinisher } from '../ending/reply-finisher';
import { isCompaction, restore } from '../reply/reply-steps';
import { NO_WISHES, type ReplyWishes } from '../reply/generation-options';
import { abortedOutcome, ReplyRegistry, RunningReply } from '../reply/running-reply';
import { ReplyTitler } from '../../chat/title/reply-titler';
import { titleFromMessage } from '../../chat/title/title-from-message';
import { InstanceHeartbeat, OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyOwnerEntity } from './reply-owner.entity';

const STEP_MILLISECONDS = 2_000;

/** A reply that no instance writes any more. */
interface OrphanRow {
  messageId: number;
  chatId: number;
  userId: number;
  agentId: number;
  /** 0 or 1. */
  hasNoTitle: number;
  formerLineEndId: number | null;
  /** 0 or 1. */
  isHidden: number;
}

/**
 * Ends the replies of instances that died: the text that was flushed is kept, with the status `interrupted`. It also ends
 * those that were stored but never started.
 */
@Injectable()
export class CrashRecovery implements OnApplicationShutdown {
  private readonly logger = new Logger(CrashRecovery.name);
  private readonly loop = new BackgroundLoop({
    step: () => this.step(),
    onError: (error) => this.logger.warn({ error }, 'Looking for abandoned replies failed.'),
    idleMilliseconds: STEP_MILLISECONDS,
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly agents: AgentService,
    private readonly registry: ReplyRegistry,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly finisher: ReplyFinisher,
    private readonly titler: ReplyTitler,
    private readonly answerers: Answerers,
    private readonly wishes: WishesStore,
  ) {
    database.onReady(() => this.begin());
  }

  /** Later than the other loops: without signs of life, other instances would end the replies that still finish here. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async begin(): Promise<void> {
    if (this.hasOtherInstances) {
      await this.heartbeat.signOfLife();
      await this.heartbeat.forgetOld();
    } else {
      await this.recover();
    }
    this.loop.start();
  }

  /** A SQLite file has one process: what is unfinished at its start has no owner, and no signs of life are needed. */
  private get hasOtherInstances(): boolean {
    return this.database.isShared;
  }

  private async step(): Promise<null> {
    if (!this.hasOtherInstances) {
      await this.recover();
    } else if (await this.heartbeat.signOfLife()) {
      await this.recover();
    }
    return null;
  }

  private async recover(): Promise<void> {
    for (const orphan of await this.findOrphans()) {
      try {
        const reply = await this.rebuild(orphan);
        const end = await this.finisher.finish(reply, abortedOutcome('interrupted'));
        this.logger.warn({ message_id: orphan.messageId }, 'An abandoned reply was ended.');
        this.titler.afterReply(reply, end);
      } catch (error) {
        this.logger.error({ message_id: orphan.messageId, error }, 'An abandoned reply could not be ended.');
      }
    }
  }

  /**
   * Replies of owners that died, and replies of this instance that were never started, because the answer to their COMMIT
   * was lost. The youngest of its own are left out: they may be stored and about to start.
   */
  private findOrphans(): Promise<OrphanRow[]> {
    const { ownerId } = this.registry;
    const running = [0, ...[...this.registry.all()].map(({ messageId }) => messageId)];
    const deadline = new Date(this.clock.now().getTime() - OWNER_LEASE_MILLISECONDS);
    return this.database
      .repository(ChatEntity)
      .createQueryBuilder('chat')
      .withDeleted()
      .innerJoin(MessageEntity, 'message', 'message.id = chat.active_message_id')
      .leftJoin(ReplyOwnerEntity, 'owner', 'owner.id = message.owner_id AND owner.seen_at > :deadline', { deadline })
      .select('message.id', 'messageId')
      .addSelect('chat.id', 'chatId')
      .addSelect('chat.user_id', 'userId')
      .addSelect('chat.agent_id', 'agentId')
      .addSelect('chat.has_placeholder_title', 'hasNoTitle')
      .addSelect('chat.former_line_end_id', 'formerLineEndId')
      .addSelect('CASE WHEN chat.deleted_at = :hiddenAt THEN 1 ELSE 0 END', 'isHidden')
      .setParameter('hiddenAt', HIDDEN_AT)
      .where('chat.active_message_id IS NOT NULL')
      .andWhere(
        '(message.owner_id <> :ownerId AND owner.id IS NULL OR message.owner_id = :ownerId ' +
          `AND message.created_at <= :deadline AND message.id NOT IN (${running.join()}))`,
        { ownerId },
      )
      .orderBy('message.id')
      .limit(100)
      .getRawMany<OrphanRow>();
  }

  private async rebuild(row: OrphanRow): Promise<RunningReply> {
    const { messageId, chatId, userId, agentId, hasNoTitle, formerLineEndId } = row;
    const isHidden = Number(row.isHidden) === 1;
    const own = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    const message = await this.database.repository(MessageEntity).findOneBy({ id: messageId });
    // Whoever asked could use them, and nobody is asked now.
    const agent = (await this.answerers.find(message?.answerer ?? null, 'admin')) ?? own;
    if (agent === undefined || message === null) {
      throw new Error(`The agent ${agentId} or the message ${messageId} is not there.`);
    }
    const question = await this.database.repository(MessageEntity).findOneBy({ id: message.parentId ?? 0 });
    const isUntitled = Number(hasNoTitle) === 1;
    const reply = new RunningReply(chatId, message.parentId ?? 0, messageId, {
      userId,
      tier: 'normal',
      apiKeyId: message.apiKeyId,
      tokensPerDay: null,
      agent,
      language: null,
      customInstructions: '',
      title: isUntitled ? titleFromMessage(question?.content ?? '') : null,
      isUntitled,
      messages: isCompaction(message) ? 0 : formerLineEndId === null ? 2 : 1,
      formerLineEndId,
      endsWithReaders: false,
      keeping: isHidden ? 'day' : 'conversation',
      context: null,
      // What a program sent is not stored, but its tokens were estimated when it came.
      promptTokens: isHidden ? (question?.tokenCount ?? 0) : null,
      wishes: message.steps === null ? null : await this.wishesOf(message),
      startedAt: message.createdAt,
      requestId: null,
    });
    restore(reply, message);
    // Of a reply that has not ended, this is what shortening its conversation cost.
    reply.spent = message.tokenUsage;
    return reply;
  }

  /** Instructions and functions were a part of the prompt, which counts. */
  private async wishesOf({ wishesId }: MessageEntity): Promise<ReplyWishes> {
    return (await this.wishes.read(this.database.manager, wishesId)) ?? NO_WISHES;
  }
}
