import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { showInvisible } from '../../../../common/text/invisible';
import { toStorableText } from '../../../../integrations/llm/port/storable-text';
import { type RegisteredTool, ToolRegistry, toolText } from '../../../tool/tool.api';
import { ActionAlreadyDecidedError, ActionExpiredError } from '../acting.errors';
import type { ApprovalScope } from '../approvals/tool-approval.entity';
import { argumentsHash } from '../calling/arguments-hash';
import { SENTENCES } from '../calling/tool-sentences';
import { canRemember, type ShownAction } from '../shown-action';
import type { ActionKind, Decision, ToolActionEntity } from '../tool-action.entity';
import type { ToolCallEntity } from '../tool-call.entity';
import { ToolRunStore } from '../tool-run.store';

/** What somebody decides. */
export interface DecisionWish {
  /** The action. */
  id: number;
  decision: Decision;
  /** Of the action, as it was shown; not needed to deny. */
  argumentsHash: string | null;
  /** The arguments as a page has shown them, in the place of their hash; absent: the hash tells. */
  shownInput?: unknown;
  /** Arguments in the place of those that were asked about; null: those. */
  arguments: Record<string, unknown> | null;
  reason: string | null;
  text: string | null;
  /** Where the word holds for later calls too; null: nowhere. */
  remember: ApprovalScope | null;
}

/** A decision that fits: `arguments` as the tool takes them, or an answer as its server's question does. */
export interface ReadDecision extends DecisionWish {
  answer: Record<string, unknown> | null;
}

const FITTING: Record<ActionKind, readonly Decision[]> = {
  approve: ['approve', 'deny'],
  unknown: ['retry', 'done', 'failed'],
  input: ['approve', 'deny'],
  // Who connects decides it.
  connect: ['deny'],
};

/** @throws ValidationFailedError when the decision is none for such an action */
function requireFitting(shown: ShownAction, wish: DecisionWish): void {
  const { action } = shown;
  const { decision, argumentsHash, arguments: edited, text, remember } = wish;
  if (!FITTING[action.kind].includes(decision)) {
    throw ValidationFailedError.of('decision', 'not_offered');
  }
  if (decision !== 'deny' && argumentsHash === null && !('shownInput' in wish)) {
    throw ValidationFailedError.of('arguments_hash', 'required');
  }
  const mayHaveArguments = decision === 'approve' && (action.kind !== 'input' || formOf(action) !== null);
  if (edited !== null && !mayHaveArguments) {
    throw ValidationFailedError.of('arguments', 'not_offered');
  }
  if (edited === null && action.kind === 'input' && mayHaveArguments) {
    throw ValidationFailedError.of('arguments', 'required');
  }
  if (remember !== null && (decision !== 'approve' || edited !== null || !canRemember(shown))) {
    throw ValidationFailedError.of('remember', 'not_offered');
  }
  if ((text !== null) !== (decision === 'done')) {
    throw ValidationFailedError.of('text', decision === 'done' ? 'required' : 'not_offered');
  }
}

/** The schema of the form that an action asks to fill in; null: none. */
function formOf({ question }: Pick<ToolActionEntity, 'question'>): Record<string, unknown> | null {
  return question !== null && 'schema' in question ? question.schema : null;
}

/** Whether a decision is about these arguments. What a page has shown has the signs written out that nobody sees. */
export function isAbout(
  wish: DecisionWish,
  { name, pin, arguments: value, argumentsHash: hash }: ToolCallEntity,
): boolean {
  if (!('shownInput' in wish)) {
    return wish.argumentsHash === hash;
  }
  return isDeepStrictEqual(wish.shownInput, showInvisible(value)) || argumentsHash(name, pin, wish.shownInput) === hash;
}

/** The same decision again is answered the same. @throws ActionExpiredError, ActionAlreadyDecidedError */
export function requireSame(
  action: ToolActionEntity,
  { decision, arguments: edited, text }: DecisionWish,
  isSameAnswer: boolean,
): void {
  if (action.state === 'expired') {
    throw new ActionExpiredError();
  }
  const isSame =
    isSameAnswer && isDeepStrictEqual([action.decision, action.edited, action.text], [decision, edited, text]);
  if (action.state !== 'decided' || !isSame) {
    throw new ActionAlreadyDecidedError();
  }
}

/**
 * What a decision makes of its call; null: nothing, because it is being made, or something else is asked about it.
 *
 * @param isLast whether nothing else is asked about it
 * @param isUncertain whether nobody knows what attempts at it did
 */
export function changesOf(
  { action, call: { asked } }: ShownAction,
  wish: DecisionWish,
  at: Date,
  { isLast, isUncertain }: { isLast: boolean; isUncertain: boolean },
): Partial<ToolCallEntity> | null {
  const isAnswer = action.kind === 'input' && asked !== null && asked.kind !== 'repeated';
  if (isAnswer && asked.kind === 'open') {
    return null;
  }
  // The server hears of it, and says what then becomes of the call.
  const isGoing = isAnswer || wish.decision === 'approve';
  return isGoing && !isLast ? null : changesBy(isAnswer ? { ...wish, decision: 'approve' } : wish, at, isUncertain);
}

/** What other arguments make of the call that they were approved for: from then on it is shown, hashed and made with them. */
export function editOfCall(
  { name, pin, arguments: shown, proposedArguments }: ToolCallEntity,
  edited: unknown,
): Partial<ToolCallEntity> {
  return isDeepStrictEqual(edited, shown)
    ? {}
    : {
        proposedArguments: proposedArguments ?? shown,
        arguments: edited,
        argumentsHash: argumentsHash(name, pin, edited),
      };
}

/** What a decision makes of its call. */
function changesBy({ decision, reason, text }: DecisionWish, at: Date, isUncertain: boolean): Partial<ToolCallEntity> {
  const denied = isUncertain ? SENTENCES.unknown : SENTENCES.denied;
  switch (decision) {
    case 'approve':
    case 'retry':
      return { state: 'approved' };
    case 'deny':
      return {
        state: isUncertain ? 'unknown' : 'denied',
        isError: true,
        endedAt: at,
        result: reason ? `${denied} ${reason}` : denied,
      };
    case 'done':
      return { state: 'succeeded', isError: false, endedAt: at, result: toolText(toStorableText(text ?? '')).kept };
    case 'failed':
      return { state: 'failed', isError: true, endedAt: at, result: reason ?? SENTENCES.unknown };
  }
}

/** Reads decisions before they are taken: whether they fit, and what comes with them. */
@Injectable()
export class DecisionReader {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly runs: ToolRunStore,
  ) {}

  /** @throws ValidationFailedError for one that does not fit, and for arguments that the tool, or its question, does not take */
  async read(shown: ShownAction, wish: DecisionWish): Promise<ReadDecision> {
    requireFitting(shown, wish);
    const { arguments: given } = wish;
    if (given === null) {
      return { ...wish, answer: null };
    }
    const schema = formOf(shown.action);
    return schema === null
      ? { ...wish, arguments: await this.readArguments(shown.call, given), answer: null }
      : { ...wish, arguments: null, answer: await this.readAnswer(shown.call, schema, given) };
  }

  /** Only what the form has. */
  private async readAnswer(
    call: ToolCallEntity,
    schema: Record<string, unknown>,
    given: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const { served } = await this.toolOf(call);
    const fields = Object.keys(schema.properties ?? {});
    const answer = Object.fromEntries(
      fields.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
    );
    if (served === null || (await served.faultIn(schema, answer)) !== null) {
      throw ValidationFailedError.of('arguments', 'invalid_format');
    }
    return answer;
  }

  private async readArguments(call: ToolCallEntity, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const read = await this.registry.read(await this.toolOf(call), given);
    const [first, ...others] = (read.faults ?? []).map(({ path }) => ({
      field: path === '' ? 'arguments' : `arguments.${path}`,
      reason: 'invalid_format',
    }));
    if (first !== undefined || !('input' in read)) {
      throw new ValidationFailedError([first ?? { field: 'arguments', reason: 'invalid_format' }, ...others]);
    }
    return read.input as Record<string, unknown>;
  }

  private async toolOf(call: ToolCallEntity): Promise<RegisteredTool> {
    const servers = (await this.runs.find(call.messageId))?.task.remote;
    const tool = await this.registry.find(call.name, call.userId, servers && { servers, secrets: [] });
    if (tool === undefined || (tool.served?.pin ?? null) !== call.pin) {
      throw ValidationFailedError.of('arguments', 'not_offered');
    }
    return tool;
  }
}
