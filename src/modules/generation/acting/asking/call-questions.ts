import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { findRows } from '../../../../database/statements/find';
import { updateRows } from '../../../../database/statements/update';
import type { ConnectionNeededError, InputNeededError, ToolAnswer, ToolAnswers } from '../../../tool/tool.api';
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
