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
import type { RunningReply } from '../../reply/running-reply';
import { RunLostError } from '../acting-run';
import { retryWhileDatabaseIsAway } from '../calling/retry-while-database-is-away';
import type { ShownAction } from '../shown-action';
import { ToolActionEntity } from '../tool-action.entity';
import type { AskedQuestions, ToolCallEntity } from '../tool-call.entity';
import { ToolRunStore } from '../tool-run.store';
import { AnswerSeal } from './answer-seal';

/** How often a server may ask for one call. */
const MOST_ROUNDS = 10;

/** Lets calls wait for what their user has to say to the server, or to allow it. Methods run within `Database.write`. */
@Injectable()
export class CallQuestions {
  constructor(
    private readonly runs: ToolRunStore,
    private readonly seal: AnswerSeal,
  ) {}

  /** Whether a server may ask once more. */
  mayAsk({ asked }: ToolCallEntity): boolean {
    return (asked?.rounds ?? 0) < MOST_ROUNDS;
  }

  /** The call waits for answers, and is then made again. */
  async input(manager: EntityManager, call: ToolCallEntity, need: InputNeededError): Promise<void> {
    const rounds = (call.asked?.rounds ?? 0) + 1;
    if (!(await this.runs.change(manager, call, ['running'], { state: 'waiting' }))) {
      return;
    }
    await this.erase(manager, call);
    const actions: Record<string, number> = {};
    for (const [name, question] of Object.entries(need.questions)) {
      actions[name] = (await this.runs.ask(manager, call, 'input', { question })).action.id;
    }
    const kind = need.state === undefined ? 'repeated' : 'resumed';
    const asked: AskedQuestions = { kind, rounds, state: need.state ?? null, actions, answers: need.answers };
    await this.runs.change(manager, call, ['waiting'], { asked });
  }

  /**
   * The call waits until its user has connected with the server. It was not made.
   *
   * @param asked where they connect, and how often the call was made before
   */
  async connect(
    manager: EntityManager,
    call: ToolCallEntity,
    { scopes, signIn }: ConnectionNeededError,
    { host, attempts }: { host: string; attempts: number },
  ): Promise<void> {
    if (await this.runs.change(manager, call, ['approved', 'running'], { state: 'waiting', attempts })) {
      await this.runs.ask(manager, call, 'connect', { question: { scopes: [...scopes], host, signIn } });
    }
  }

  /** The answers that a call is made again with; null: none. */
  async before(manager: EntityManager, { asked }: ToolCallEntity): Promise<ToolAnswers | null> {
    if (asked?.kind !== 'resumed') {
      return null;
    }
    const ids = Object.values(asked.actions);
    const byId = new Map((await findRows(manager, ToolActionEntity, { id: In(ids) })).map((row) => [row.id, row]));
    const given = Object.entries(asked.actions).map(([name, id]) => [name, this.answerOf(byId.get(id))] as const);
    return { state: asked.state, answers: { ...asked.answers, ...Object.fromEntries(given) } };
  }

  /** What a person has said, in the words of the protocol. */
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

/** Ten a second. */
const PAUSE_MILLISECONDS = 100;

/** Passes on how far a call has come, not too often, and the newest in any case. */
class ProgressThrottle {
  private toldAt = -Infinity;
  private waiting: ToolProgress | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (progress: ToolProgress) => void) {}

  tell(progress: ToolProgress): void {
    this.waiting = progress;
    const left = this.toldAt + PAUSE_MILLISECONDS - performance.now();
    if (left <= 0) this.showNow();
    else this.timer ??= setTimeout(() => this.showNow(), left).unref();
  }

  /** The call has ended, and its result says more. */
  end(): void {
    clearTimeout(this.timer);
  }

  private showNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.toldAt = performance.now();
    if (this.waiting !== null) this.show(this.waiting);
    this.waiting = null;
  }
}

/** As long as a server's call is held open for a person. */
const ANSWER_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

/** Between two looks for an answer that another instance took, where nothing tells of it. */
const POLL_MILLISECONDS = 500;

/** The same where Redis tells of it: a message can be lost. */
const TOLD_POLL_MILLISECONDS = 5_000;

const LONGEST_MESSAGE = 200;

const CHANNEL = 'tools.answered';

/** What a call says while it is made; `end` once it has ended. */
export interface RunningTalk {
  talk: CallTalk;
  end: () => void;
}

/**
 * What servers say and ask while a call is made. The call is held open by this instance; its question is answered on any, as all
 * actions are. Where this instance dies, the question goes with it.
 */
@Injectable()
export class OpenQuestions {
  private readonly waiting = new Map<number, () => void>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly runs: ToolRunStore,
    private readonly questions: CallQuestions,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, (id) => this.waiting.get(Number(id))?.());
  }

  /** Tells the instance whose call waits for this action that it is decided. */
  wake(actionId: number): void {
    this.redis.publish(CHANNEL, String(actionId));
  }

  talkOf(reply: RunningReply, call: ToolCallEntity, before: ToolAnswers | null): RunningTalk {
    const ending = new AbortController();
    const throttle = new ProgressThrottle((progress) =>
      reply.tellAside({ kind: 'progress', call: call.number, progress }),
    );
    return {
      talk: {
        before,
        ask: (question, signal) =>
          this.ask(reply, call, question, AbortSignal.any([signal, ending.signal, reply.signal])),
        progress: (progress) => throttle.tell(presentable(progress)),
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
    reply.tellAside({ kind: 'question', shown });
    try {
      return await this.answerTo(shown.action.id, signal);
    } finally {
      const closed = await retryWhileDatabaseIsAway(() => this.close(shown));
      reply.tellAside({ kind: 'question', shown: closed });
    }
  }

  private write(reply: RunningReply, call: ToolCallEntity, question: ToolQuestion): Promise<ShownAction> {
    const rounds = (call.asked?.rounds ?? 0) + 1;
    const expiresAt = new Date(this.clock.now().getTime() + ANSWER_MILLISECONDS);
    return this.database.write(async (manager) => {
      await this.runs.hold(manager, reply);
      const asked = { kind: 'open' as const, rounds, state: null, actions: {}, answers: {} };
      if (!(await this.runs.change(manager, call, ['running'], { asked }))) {
        throw new RunLostError(reply.messageId);
      }
      return this.runs.ask(manager, call, 'input', { question, expiresAt });
    });
  }

  private async answerTo(id: number, signal: AbortSignal): Promise<ToolAnswer> {
    for (;;) {
      signal.throwIfAborted();
      const told = new Promise<void>((resolve) => this.waiting.set(id, resolve));
      const action = await retryWhileDatabaseIsAway(() => findRow(this.database.manager, ToolActionEntity, { id }));
      if (action?.state !== 'open') {
        this.waiting.delete(id);
        return this.questions.answerOf(action);
      }
      const pause = delay(this.redis.isUp ? TOLD_POLL_MILLISECONDS : POLL_MILLISECONDS, undefined, {
        signal,
        ref: false,
      });
      await Promise.race([told, pause]).finally(() => this.waiting.delete(id));
    }
  }

  /** Nobody waits for it any more: what was answered is erased, and what was not is not wanted. */
  private close(shown: ShownAction): Promise<ShownAction> {
    const { id } = shown.action;
    return this.database.write(async (manager) => {
      await updateRows(manager, ToolActionEntity, { answer: null }, 'id = ?', [id]);
      const action = await findRow(manager, ToolActionEntity, { id }, { lock: 'wait' });
      const found = action === null ? shown : { action, call: shown.call };
      if (action?.state === 'open') {
        await this.runs.close(manager, found, { state: 'cancelled', decidedAt: this.clock.now() });
      }
      return found;
    });
  }
}

function presentable({ progress, total, message }: ToolProgress): ToolProgress {
  const text = message === null ? '' : beginningOf(withoutInvisible(message) as string, LONGEST_MESSAGE);
  return { progress, total, message: text === '' ? null : text };
}
