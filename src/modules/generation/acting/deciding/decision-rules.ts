import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { showInvisible } from '../../../../common/text/invisible';
import { toStorableText } from '../../../../integrations/llm/port/storable-text';
import { type RegisteredTool, ToolRegistry, toolText } from '../../../tool/tool.api';
import { canRemember, type ShownAction } from '../../actions/shown-action';
import type { ActionKind, Decision, ToolActionEntity } from '../../actions/tool-action.entity';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import { ActionAlreadyDecidedError, ActionExpiredError } from '../acting.errors';
import type { ApprovalScope } from '../approvals/tool-approval.entity';
import type { CallEvent } from '../call-states';
import { argumentsHash } from '../calling/arguments-hash';
import { SENTENCES } from '../calling/tool-sentences';
import { type CallChanges, RoundStore } from '../round.store';

/** A decision as it was requested. */
export interface DecisionRequest {
  /** The id of the action. */
  id: number;
  decision: Decision;
  /** Hash of the arguments as the action was shown. Not needed to deny. */
  argumentsHash: string | null;
  /** The arguments as a page has shown them, instead of their hash. Absent: the hash is used. */
  shownInput?: unknown;
  /** Edited arguments. Null: the proposed ones. */
  arguments: Record<string, unknown> | null;
  reason: string | null;
  text: string | null;
  /** Where the approval applies to later calls too. Null: nowhere. */
  remember: ApprovalScope | null;
}

/**
 * A validated decision, with `arguments` parsed by the tool's schema, or an answer that fits the MCP server's question.
 */
export interface ReadDecision extends DecisionRequest {
  answer: Record<string, unknown> | null;
}

const FITTING: Record<ActionKind, readonly Decision[]> = {
  approve: ['approve', 'deny'],
  unknown: ['retry', 'done', 'failed'],
  input: ['approve', 'deny'],
  // Connecting itself approves the action.
  connect: ['deny'],
};

/** @throws ValidationFailedError when the decision does not fit this kind of action */
function requireFitting(shown: ShownAction, wish: DecisionRequest): void {
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

/** The schema of the form that an action asks to fill in. Null: none. */
function formOf({ question }: Pick<ToolActionEntity, 'question'>): Record<string, unknown> | null {
  return question !== null && 'schema' in question ? question.schema : null;
}

/** Whether a decision is about these arguments. Pages show invisible characters escaped. */
export function isAbout(
  wish: DecisionRequest,
  { name, pin, arguments: value, argumentsHash: hash }: ToolCallEntity,
): boolean {
  if (!('shownInput' in wish)) {
    return wish.argumentsHash === hash;
  }
  return isDeepStrictEqual(wish.shownInput, showInvisible(value)) || argumentsHash(name, pin, wish.shownInput) === hash;
}

/** Accepts the same decision again. @throws ActionExpiredError, ActionAlreadyDecidedError */
export function requireSame(
  action: ToolActionEntity,
  { decision, arguments: edited, text }: DecisionRequest,
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

/** An event that changes a call, and what is stored with it. */
interface CallChange {
  event: CallEvent;
  changes: CallChanges;
}

/**
 * How a decision changes its call. Null: not at all, because the call is running or has another open action.
 *
 * @param isLast whether the call has no other open action
 * @param isUncertain whether the outcome of earlier attempts is unknown
 */
export function decisionChanges(
  { action, call: { asked } }: ShownAction,
  wish: DecisionRequest,
  at: Date,
  { isLast, isUncertain }: { isLast: boolean; isUncertain: boolean },
): CallChange | null {
  const isAnswer = action.kind === 'input' && asked !== null && asked.kind !== 'repeated';
  if (isAnswer && asked.kind === 'open') {
    return null;
  }
  // The MCP server receives a denied answer too, and decides how the call continues.
  const isGoing = isAnswer || wish.decision === 'approve';
  return isGoing && !isLast ? null : changesBy(isAnswer ? { ...wish, decision: 'approve' } : wish, at, isUncertain);
}

/** Replaces the arguments of a call with edited ones. They are shown, hashed and used from then on. */
export function editOfCall(
  { name, pin, arguments: shown, proposedArguments }: ToolCallEntity,
  edited: unknown,
): CallChanges {
  return isDeepStrictEqual(edited, shown)
    ? {}
    : {
        proposedArguments: proposedArguments ?? shown,
        arguments: edited,
        argumentsHash: argumentsHash(name, pin, edited),
      };
}

/** How a decision changes its call. */
function changesBy({ decision, reason, text }: DecisionRequest, at: Date, isUncertain: boolean): CallChange {
  const denied = isUncertain ? SENTENCES.unknown : SENTENCES.denied;
  switch (decision) {
    case 'approve':
    case 'retry':
      return { event: decision, changes: {} };
    case 'deny':
      return {
        event: isUncertain ? 'denyUncertain' : 'deny',
        changes: { isError: true, endedAt: at, result: reason ? `${denied} ${reason}` : denied },
      };
    case 'done':
      return {
        event: 'reportDone',
        changes: { isError: false, endedAt: at, result: toolText(toStorableText(text ?? '')).kept },
      };
    case 'failed':
      return {
        event: 'reportFailed',
        changes: { isError: true, endedAt: at, result: reason ?? SENTENCES.unknown },
      };
  }
}

/** Validates decisions before they are stored, and parses their arguments and answers. */
@Injectable()
export class DecisionReader {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly rounds: RoundStore,
  ) {}

  /**
   * @throws ValidationFailedError when the decision does not fit, or the tool or the question does not accept the
   *   arguments
   */
  async read(shown: ShownAction, wish: DecisionRequest): Promise<ReadDecision> {
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

  /** Drops fields that the form does not have. */
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
    const servers = (await this.rounds.find(call.messageId))?.task.remote;
    const tool = await this.registry.find(call.name, call.userId, servers && { servers, secrets: [] });
    if (tool === undefined || (tool.served?.pin ?? null) !== call.pin) {
      throw ValidationFailedError.of('arguments', 'not_offered');
    }
    return tool;
  }
}
