import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock';
import { RedisConnection } from '../../../../common/redis/redis-connection';
import { withoutInvisible } from '../../../../common/text/invisible';
import { beginningOf } from '../../../../common/text/surrogate-pairs';
import { MINUTE_MILLISECONDS } from '../../../../common/time';
import { Database } from '../../../../database/database';
import { findRow } from '../../../../database/statements/find';
import { updateRows } from '../../../../database/statements/update';
import type { CallTalk, ToolAnswer, ToolAnswers, ToolProgress, ToolQuestion } from '../../../tool/tool.api';
import type { RunningReply } from '../../reply/running-reply';
import { RunLostError } from '../acting-run';
import { surely } from '../calling/surely';
import { type ShownAction } from '../shown-action';
import { ToolActionEntity } from '../tool-action.entity';
import type { ToolCallEntity } from '../tool-call.entity';
import { ToolRunStore } from '../tool-run.store';
import { CallQuestions } from './call-questions';
import { ProgressThrottle } from './progress-throttle';

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
    const shown = await surely(() => this.write(reply, call, question));
    reply.tellAside({ kind: 'question', shown });
    try {
      return await this.answerTo(shown.action.id, signal);
    } finally {
      const closed = await surely(() => this.close(shown));
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
      const action = await surely(() => findRow(this.database.manager, ToolActionEntity, { id }));
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
