import { Injectable } from '@nestjs/common';
import { GroupMemberships } from '../../group/group.api';
import {
  CheckedTexts,
  ConversationMasks,
  Guards,
  type GuardScope,
  type GuardStage,
  Masks,
} from '../../guard/guard.api';
import { type ToolOutcome, toolText } from '../../tool/tool.api';
import type { GenerationTask } from '../reply/generation-task';
import { guardScopeOf } from '../reply/guard-scope';
import type { RunningReply } from '../reply/running-reply';
import type { Turn } from '../reply/stored-parts';
import type { WrittenReply } from '../reply/written-reply';
import { changedBody, changedTurns, type TextChanges } from './guarded-body';
import { guardPart } from './guarded-part';
import type { GuardedReply } from './guarded-reply';
import { BLOCKED_RESULT, changedTurn, type OwnChanges, PromptTexts } from './guarded-turns';
import { type ReleasedText, shownText, withPieces } from './window-release';

const STAGES: readonly GuardStage[] = ['input', 'tool_result', 'output'];

/** The sender of a reply as guards know it, and the masked values of its conversation. */
interface ReplyState {
  scope: GuardScope;
  masks: Masks;
}

/** Applies guards to a reply: to its prompt, to results of its tools, and to its output. */
@Injectable()
export class ReplyGuards {
  private readonly states = new WeakMap<RunningReply, ReplyState>();

  constructor(
    private readonly guards: Guards,
    private readonly checked: CheckedTexts,
    private readonly masks: ConversationMasks,
    private readonly groups: GroupMemberships,
  ) {}

  /** False: no guard exists, and no reply needs this class. */
  get exist(): boolean {
    return this.guards.hasAny;
  }

  /** What guards do with the output of a reply. Null: nothing. */
  async outputOf(reply: RunningReply): Promise<GuardedReply | null> {
    const { scope, masks } = await this.stateOf(reply);
    const guards = this.guards.of('output', scope);
    if (guards.length === 0 && masks.isEmpty) {
      return null;
    }
    const released = { text: releasedText(masks, reply.text), reasoning: releasedText(masks, reply.reasoning) };
    const state = { scope, masks };
    return { ...state, guards, released, saveMasks: async () => void (await this.saveMasks(state)) };
  }

  /**
   * The turns of a prompt as a model receives them: with masks, and without what a guard blocks. Guards check what has no
   * finding yet.
   *
   * @throws GuardUnavailableError
   */
  maskTurns(reply: RunningReply, turns: readonly Turn[]): Promise<readonly Turn[]> {
    return this.change(reply, (texts, own, masks) => {
      reply.promptTask = changedTask(reply.task, texts);
      const added = ownChanges(masks, texts);
      return turns.map((turn) => changedTurn(turn, texts, turn.isAdded ? added : own));
    });
  }

  /**
   * The same for a request in the format of Anthropic's API.
   *
   * @param own turns of this reply
   */
  maskMessages<Own>(
    reply: RunningReply,
    body: Record<string, unknown>,
    own: readonly Own[] = [],
  ): Promise<{ body: Record<string, unknown>; own: Own[] }> {
    const { systemPrompt } = reply.task.agent;
    return this.change(reply, (texts, ownChanges) => {
      const changes: TextChanges = {
        // The agent's own prompt is trusted.
        change: (stage, part, text) => (text === systemPrompt ? text : texts.find(stage, part, text).text),
        ...ownChanges,
      };
      return { body: changedBody(body, changes), own: changedTurns(own, changes, 'tool_result') };
    });
  }

  /**
   * Another text that a model has written for a reply, such as a title. Its masks stay.
   *
   * @throws OutputBlockedError, GuardUnavailableError
   */
  async checkWhole(reply: WrittenReply, text: string): Promise<string> {
    const state = await this.stateOf(reply as RunningReply);
    let released = '';
    const { signal } = new AbortController();
    const part = guardPart(
      this.guards.of('output', state.scope),
      { part: 'text', ...state, signal, isWhole: true },
      (pieces) => void (released += pieces.map(shownText).join('')),
    );
    await part.take([text]);
    await part.end();
    await this.saveMasks(state);
    return released;
  }

  /** The result of a tool, which is not kept if a guard blocks it. */
  async checkResult(reply: RunningReply, outcome: ToolOutcome): Promise<ToolOutcome> {
    const isAnswer = outcome.state === 'succeeded' || (outcome.state === 'failed' && outcome.isMade);
    if (!isAnswer || outcome.content === null) {
      return outcome;
    }
    const { scope, masks } = await this.stateOf(reply);
    const guards = this.guards.of('tool_result', scope);
    const text = { text: toolText(outcome.content).sent, part: 'text' as const };
    // If a guard cannot decide, the call is stored, and the reply fails before the model is called again.
    const [found] = await this.checked
      .mask(guards, scope, masks, 'tool_result', guards.length === 0 ? [] : [text])
      .catch(() => []);
    return found?.isBlocked ? { ...outcome, content: BLOCKED_RESULT } : outcome;
  }

  /** @param change changes a prompt with the texts that it finds; it runs again when they are checked */
  private async change<Prompt>(
    reply: RunningReply,
    change: (texts: PromptTexts, own: OwnChanges, masks: Masks) => Prompt,
  ): Promise<Prompt> {
    const state = await this.stateOf(reply);
    const { scope, masks } = state;
    const texts = new PromptTexts();
    const own = ownChanges(masks, scope.chatId === null ? texts : null);
    change(texts, own, masks);
    // Another instance may have used the same numbers. The texts are then masked again.
    do {
      for (const stage of ['input', 'tool_result'] as const) {
        const guards = this.guards.of(stage, scope);
        texts.note(stage, await this.checked.mask(guards, scope, masks, stage, texts.textsOf(stage)));
      }
    } while (!(await this.saveMasks(state)));
    return change(texts, own, masks);
  }

  private async stateOf(reply: RunningReply): Promise<ReplyState> {
    const known = this.states.get(reply);
    if (known !== undefined) {
      return known;
    }
    const scope = await this.scopeOf(reply);
    const isMasking = STAGES.some((stage) => this.guards.of(stage, scope).some(({ mode }) => mode === 'mask'));
    const masks = isMasking ? await this.masks.load(scope.chatId) : new Masks();
    const state = { scope, masks };
    this.states.set(reply, state);
    reply.masked = (text) => (masks.isEmpty ? text : masks.applyKnown(text));
    return state;
  }

  /** A continued reply does not know the groups of its user. */
  private async scopeOf(reply: RunningReply): Promise<GuardScope> {
    const { groupIds, userId } = reply.task;
    return { ...guardScopeOf(reply), groupIds: groupIds ?? (await this.groups.groupIdsOf(userId)) };
  }

  private saveMasks({ scope: { userId, chatId }, masks }: ReplyState): Promise<boolean> {
    return masks.unsaved.length === 0 ? Promise.resolve(true) : this.masks.save(masks, { userId, chatId });
  }
}

/** The task with the instructions that models receive. */
function changedTask(task: GenerationTask, texts: PromptTexts): GenerationTask {
  const { customInstructions, options } = task;
  const changed = (text: string): string => texts.find('input', 'instructions', text).text;
  return {
    ...task,
    customInstructions: changed(customInstructions),
    options: options && { ...options, instructions: options.instructions && changed(options.instructions) },
  };
}

/**
 * @param sent the texts of a prompt whose earlier replies are the client's word: it sent them with its request, or added
 *   them to the conversation. They are checked like its messages, so that `masks` knows their values. Null: models have
 *   written the replies
 */
function ownChanges(masks: Masks, sent: PromptTexts | null): OwnChanges {
  return {
    changeOwn: (text) => {
      const found = sent?.find('input', 'text', text);
      return found?.isBlocked ? found.text : masks.applyKnown(text);
    },
    changeOwnJson: (json) => {
      sent?.find('input', 'arguments', json);
      return masks.applyKnownJson(json);
    },
  };
}

/** The text of a reply so far, with masks. */
function releasedText(masks: Masks, text: string): ReleasedText {
  return withPieces({ text: '', length: 0 }, text === '' ? [] : [masks.applyKnown(text)]);
}
