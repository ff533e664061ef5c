import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ActionDto } from '../../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../../src/modules/chat/messages/message.dto';
import type { ActingTrial } from './acting-trial';
import { type Plan, planned, type PlannedCall } from './planned-model';
import { oneOf } from './random-plan';
import { kindOf } from './tool-kinds';

/** Pause between two polls, in milliseconds. */
const LOOK_MILLISECONDS = 150;

/** The maximum duration of an undisturbed reply, in milliseconds. */
const LONGEST_MILLISECONDS = 180_000;

const DECISIONS = {
  approve: ['approve', 'approve', 'approve', 'deny'],
  unknown: ['retry', 'done', 'failed'],
} as const;

interface Word {
  decision: string;
  what: string;
}

/** The state of a call in a reply. */
interface Shown {
  state: string | undefined;
  result: string | undefined;
}

/** A user who sends one message, answers its questions, and compares the reply with the actual effects. */
export class Accompanied {
  readonly faults: string[] = [];
  private readonly words = new Map<number, Word>();
  private readonly seen = new Map<string, string>();

  constructor(
    private readonly trial: ActingTrial,
    private readonly plan: Plan,
  ) {}

  /** @returns the final status of the reply */
  async run(agentId: number): Promise<string> {
    const { body: chat } = await this.trial.request<{ id: number }>('/chat', { agent_id: agentId });
    const options = {
      key: randomUUID(),
      isAnswered: ({ text }: { text: string }) => text.includes('"user_message_id"'),
    };
    const message = { chat_id: chat.id, content: planned(this.plan) };
    let isSent = false;
    const sending = this.trial.request('/chat/message', message, options).then(() => (isSent = true));
    const reply = await this.follow(chat.id, () => isSent);
    await sending;
    this.compare(reply);
    return reply.status;
  }

  /** A reply that a crash cut before its first call is requested again, with the same key. */
  private async follow(chatId: number, isSent: () => boolean): Promise<MessageDto> {
    for (;;) {
      const isAnswered = isSent();
      const { messages } = (await this.trial.readChat(chatId)).body;
      const last = messages.at(-1);
      const replies = messages.filter(({ role }) => role === 'assistant');
      const twice = replies.slice(0, -1).filter(({ status, parts }) => status !== 'interrupted' || hasResults(parts));
      this.faults.push(...twice.map(({ id, status }) => `message ${id} is ${status}, and was sent again`));
      if (last?.role === 'assistant') {
        this.look(last);
        if (last.status === 'requires_action') {
          await this.decideAll(chatId);
        } else if (last.status !== 'streaming' && isAnswered) {
          return last;
        }
        if (Date.now() > (this.trial.calmSince ?? Infinity) + LONGEST_MILLISECONDS) {
          this.faults.push(`chat ${chatId}: the reply does not end: ${last.status}`);
          return last;
        }
      }
      await delay(LOOK_MILLISECONDS);
    }
  }

  /** Calls shown once remain. */
  private look(reply: MessageDto): void {
    for (const part of reply.parts ?? []) {
      if (part.type === 'tool_result') {
        const before = this.seen.get(part.id);
        if (before !== undefined && before !== part.content) {
          this.faults.push(`${part.id}: the result was ${before.slice(0, 60)}, and is ${part.content.slice(0, 60)}`);
        }
        this.seen.set(part.id, part.content);
      }
    }
    const ids = new Set((reply.parts ?? []).flatMap((part) => (part.type === 'tool_result' ? [part.id] : [])));
    this.faults.push(...[...this.seen.keys()].filter((id) => !ids.has(id)).map((id) => `${id}: the result is gone`));
  }

  private async decideAll(chatId: number): Promise<void> {
    const open = (await this.trial.openActions(chatId)).body;
    await Promise.all(open.map((action) => this.decide(chatId, action)));
  }

  private async decide(chatId: number, { id, kind, arguments: given, arguments_hash }: ActionDto): Promise<void> {
    const { what } = given as PlannedCall;
    if (this.words.has(id)) {
      this.faults.push(`action ${id}: it was decided, and is open`);
    }
    const decision = oneOf(DECISIONS[kind as 'approve' | 'unknown']);
    this.words.set(id, { decision, what });
    const body = {
      decision,
      ...(decision !== 'deny' && { arguments_hash }),
      ...(decision === 'done' && { text: what }),
    };
    const isAnswered = ({ text }: { text: string }) => text.includes('ACTION_');
    const answer = await this.trial.request(`/chat/${chatId}/actions/${id}`, body, { isAnswered });
    if (answer.status !== 200) {
      this.faults.push(`action ${id}: ${decision} answered ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }

  private compare(reply: MessageDto): void {
    const calls = this.plan.flat();
    if (reply.status === 'completed') {
      calls.forEach((call) => this.compareCall(reply, call));
      return;
    }
    const done = calls.filter(({ what }) => this.trial.effects.of(what).length > 0);
    if (reply.status !== 'interrupted' || done.length > 0 || this.seen.size > 0) {
      this.faults.push(`message ${reply.id}: ${reply.status} ${JSON.stringify(reply.error)}, effects: ${done.length}`);
    }
  }

  private compareCall(reply: MessageDto, { tool, what, how }: PlannedCall): void {
    const words = [...this.words.values()].filter((word) => word.what === what).map(({ decision }) => decision);
    const times = this.trial.effects.of(what).length;
    const { state, result } = shownOf(reply, what);
    const fail = (sentence: string): void =>
      void this.faults.push(`message ${reply.id}, ${tool} ${how} ${what}: ${sentence} (${state}, ${words.join()})`);
    if (state === undefined || result === undefined) {
      fail(`no result in ${JSON.stringify(this.plan)}`);
    }
    const { asks, isIdempotent, isReadOnly } = kindOf(tool);
    const allowed = isIdempotent ? 1 : 1 + words.filter((word) => word === 'retry').length;
    if (!isReadOnly && times > allowed) {
      fail(`done ${times} times`);
    }
    if (asks && times > 0 && !words.includes('approve')) {
      fail('done without a word');
    }
    if (state === 'succeeded' && !words.includes('done') && !result?.includes(what)) {
      fail('another result');
    }
    const isKnown = state === 'succeeded' || words.some((word) => word === 'failed' || word === 'done');
    if (!isIdempotent && !isReadOnly && times > 0 && !isKnown) {
      fail('done, and nobody knows');
    }
  }
}

function hasResults(parts: MessageDto['parts']): boolean {
  return (parts ?? []).some(({ type }) => type === 'tool_result');
}

function shownOf({ parts }: MessageDto, what: string): Shown {
  const all = parts ?? [];
  const called = all.findLast((part) => part.type === 'tool_call' && part.arguments.includes(what));
  const id = called?.type === 'tool_call' ? called.id : '';
  const result = all.find((part) => part.type === 'tool_result' && part.id === id);
  return {
    state: called?.type === 'tool_call' ? called.state : undefined,
    result: result?.type === 'tool_result' ? result.content : undefined,
  };
}
