import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { RedisConnection } from '../../../../common/redis/redis-connection';
import { withoutInvisible } from '../../../../common/text/invisible';
import { beginningOf } from '../../../../common/text/surrogate-pairs';
import { MINUTE_MILLISECONDS } from '../../../../common/time';
import { Database } from '../../../../database/database';
import { findRow, findRows } from '../../../../database/statements/find';
import { updateRows } from '../../../../database/statements/update';
import type {
  CallTalk,
  ConnectionNeededError,
  InputNeededError,
  ToolAnswer,
  ToolAnswers,
  ToolProgress,
  ToolQuestion,
} from '../../../tool/tool.api';
import type { ShownAction } from '../../actions/shown-action';
import { ToolActionEntity } from '../../actions/tool-action.entity';
import type { AskedQuestions, ToolCallEntity } from '../../actions/tool-call.entity';
import { retryWhileDatabaseIsAway } from '../../reply/reply-failure';
import { ReplyLostError } from '../../reply/reply-rounds';
import type { RunningReply } from '../../reply/running-reply';
import { RoundStore } from '../round.store';
import { AnswerSeal } from './answer-seal';

/** Maximum number of times that an MCP server may ask during one call. */
const MOST_ROUNDS = 10;

/** Lets calls wait for an answer or a connection of their user. Methods with a manager run within `Database.write`. */
@Injectable()
export class CallQuestions {
  constructor(
    private readonly rounds: RoundStore,
    private readonly seal: AnswerSeal,
  ) {}

  /** Whether the MCP server may ask again during this call. */
  mayAsk({ asked }: ToolCallEntity): boolean {
    return (asked?.rounds ?? 0) < MOST_ROUNDS;
  }

  /** Lets the call wait for answers. It is repeated with them. */
  async input(manager: EntityManager, call: ToolCallEntity, need: InputNeededError): Promise<void> {
    const rounds = (call.asked?.rounds ?? 0) + 1;
    if (!(await this.rounds.apply(manager, call, 'question'))) {
      return;
    }
    await this.erase(manager, call);
    const actions: Record<string, number> = {};
    for (const [name, question] of Object.entries(need.questions)) {
      actions[name] = (await this.rounds.ask(manager, call, 'input', { question })).action.id;
    }
    const kind = need.state === undefined ? 'repeated' : 'resumed';
    const asked: AskedQuestions = { kind, rounds, state: need.state ?? null, actions, answers: need.answers };
    await this.rounds.keepQuestions(manager, call, 'waiting', asked);
  }

  /**
   * Lets a call that was not made wait until its user has connected to the MCP server.
   *
   * @param asked the host of the MCP server, and the number of earlier attempts
   */
  async connect(
    manager: EntityManager,
    call: ToolCallEntity,
    { scopes, signIn }: ConnectionNeededError,
    { host, attempts }: { host: string; attempts: number },
  ): Promise<void> {
    if (await this.rounds.apply(manager, call, 'connect', { attempts })) {
      await this.rounds.ask(manager, call, 'connect', { question: { scopes: [...scopes], host, signIn } });
    }
  }

  /** The answers with which a call is repeated. Null: none. */
  async before(manager: EntityManager, { asked }: ToolCallEntity): Promise<ToolAnswers | null> {
    if (asked?.kind !== 'resumed') {
      return null;
    }
    const ids = Object.values(asked.actions);
    const byId = new Map((await findRows(manager, ToolActionEntity, { id: In(ids) })).map((row) => [row.id, row]));
    const given = Object.entries(asked.actions).map(([name, id]) => [name, this.answerOf(byId.get(id))] as const);
    return { state: asked.state, answers: { ...asked.answers, ...Object.fromEntries(given) } };
  }

  /** A person's decision in the terms of the MCP specification (elicitation result). */
  answerOf(action: ToolActionEntity | null | undefined): ToolAnswer {
    if (action?.decision === 'deny') {
      return { action: 'decline' };
    }
    if (action?.decision !== 'approve') {
      return { action: 'cancel' };
    }
    const isForm = action.question !== null && 'schema' in action.question;
    const content = this.seal.open(action) as ToolAnswer['content'] | null;
    return isForm && content === null ? { action: 'cancel' } : { action: 'accept', ...(content && { content }) };
  }

  private async erase(manager: EntityManager, { id }: ToolCallEntity): Promise<void> {
    await updateRows(manager, ToolActionEntity, { answer: null }, 'call_id = ? AND answer IS NOT NULL', [id]);
  }
}

/** Ten updates a second. */
const PAUSE_MILLISECONDS = 100;

/** Limits how often the progress of a call is sent. The latest progress is always sent. */
class ProgressThrottle {
  private sentAt = -Infinity;
  private waiting: ToolProgress | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (progress: ToolProgress) => void) {}

  send(progress: ToolProgress): void {
    this.waiting = progress;
    const left = this.sentAt + PAUSE_MILLISECONDS - performance.now();
    if (left <= 0) this.showNow();
    else this.timer ??= setTimeout(() => this.showNow(), left).unref();
  }

  /** Stops sending: the call has ended and its result replaces the progress. */
  end(): void {
    clearTimeout(this.timer);
  }

  private showNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sentAt = performance.now();
    if (this.waiting !== null) this.show(this.waiting);
    this.waiting = null;
  }
}

/** How long a running call waits for a person's answer. */
const ANSWER_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

/** Poll interval for answers received by another instance, without Redis. */
const POLL_MILLISECONDS = 500;

/** Poll interval with Redis, because a Redis message can be lost. */
const NOTIFIED_POLL_MILLISECONDS = 5_000;

const LONGEST_MESSAGE = 200;

const CHANNEL = 'tools.answered';

/** The channel of a running call to its readers. Call `end` after the call has ended. */
export interface RunningTalk {
  talk: CallTalk;
  end: () => void;
}

/**
 * Progress and questions of MCP servers during a call. This instance keeps the call open; any instance accepts the
 * answer. If this instance dies, the question is lost.
 */
@Injectable()
export class OpenQuestions {
  private readonly waiting = new Map<number, () => void>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rounds: RoundStore,
    private readonly questions: CallQuestions,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, (id) => this.waiting.get(Number(id))?.());
  }

  /** Notifies the instance whose call waits for this action that it is decided. */
  wake(actionId: number): void {
    this.redis.publish(CHANNEL, String(actionId));
  }

  openTalk(reply: RunningReply, call: ToolCallEntity, before: ToolAnswers | null): RunningTalk {
    const ending = new AbortController();
    const throttle = new ProgressThrottle((progress) =>
      reply.sendAside({ kind: 'progress', call: call.number, progress }),
    );
    return {
      talk: {
        before,
        ask: (question, signal) =>
          this.ask(reply, call, question, AbortSignal.any([signal, ending.signal, reply.signal])),
        progress: (progress) => throttle.send(presentable(progress)),
      },
      end: () => {
        throttle.end();
        ending.abort();
      },
    };
  }

  private async ask(
    reply: RunningReply,
    call: ToolCallEntity,
    question: ToolQuestion,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    if (reply.task.acting?.isAlone || !this.questions.mayAsk(call)) {
      return { action: 'decline' };
    }
    const shown = await retryWhileDatabaseIsAway(() => this.write(reply, call, question));
    reply.sendAside({ kind: 'question', shown });
    try {
      return await this.waitForAnswer(shown.action.id, signal);
    } finally {
      const closed = await retryWhileDatabaseIsAway(() => this.close(shown));
      reply.sendAside({ kind: 'question', shown: closed });
    }
  }

  private write(reply: RunningReply, call: ToolCallEntity, question: ToolQuestion): Promise<ShownAction> {
    const rounds = (call.asked?.rounds ?? 0) + 1;
    const expiresAt = new Date(this.clock.now().getTime() + ANSWER_MILLISECONDS);
    return this.database.write(async (manager) => {
      await this.rounds.hold(manager, reply);
      const asked = { kind: 'open' as const, rounds, state: null, actions: {}, answers: {} };
      if (!(await this.rounds.keepQuestions(manager, call, 'running', asked))) {
        throw new ReplyLostError(reply.messageId);
      }
      return this.rounds.ask(manager, call, 'input', { question, expiresAt });
    });
  }

  private async waitForAnswer(id: number, signal: AbortSignal): Promise<ToolAnswer> {
    for (;;) {
      signal.throwIfAborted();
      const answered = new Promise<void>((resolve) => this.waiting.set(id, resolve));
      const action = await retryWhileDatabaseIsAway(() => findRow(this.database.manager, ToolActionEntity, { id }));
      if (action?.state !== 'open') {
        this.waiting.delete(id);
        return this.questions.answerOf(action);
      }
      const pause = delay(this.redis.isUp ? NOTIFIED_POLL_MILLISECONDS : POLL_MILLISECONDS, undefined, {
        signal,
        ref: false,
      });
      await Promise.race([answered, pause]).finally(() => this.waiting.delete(id));
    }
  }

  /** Erases the answer after the call has read it, or cancels the action if it is still open. */
  private close(shown: ShownAction): Promise<ShownAction> {
    const { id } = shown.action;
    return this.database.write(async (manager) => {
      await updateRows(manager, ToolActionEntity, { answer: null }, 'id = ?', [id]);
      const action = await findRow(manager, ToolActionEntity, { id }, { lock: 'wait' });
      const found = action === null ? shown : { action, call: shown.call };
      if (action?.state === 'open') {
        await this.rounds.close(manager, found, { state: 'cancelled', decidedAt: this.clock.now() });
      }
      return found;
    });
  }
}

function presentable({ progress, total, message }: ToolProgress): ToolProgress {
  const text = message === null ? '' : beginningOf(withoutInvisible(message) as string, LONGEST_MESSAGE);
  return { progress, total, message: text === '' ? null : text };
}
