import { createHmac } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { growingCache } from '../../../common/cache/growing-cache';
import { Clock } from '../../../common/clock';
import type { Amount } from '../../../common/money/amount';
import { ServerBreaker } from '../../../common/network/server-breaker';
import { ServiceSecret } from '../../../common/security/service-secret';
import { millisecondsSince } from '../../../common/time';
import { AgentGroups } from '../../agent/agent.api';
import type { GuardFault, GuardScope, GuardSpan, GuardText } from '../checking/guard-check';
import { TextPlaces } from '../checking/guard-spans';
import type { Guard } from '../guards/guard.store';
import { joinSpans } from '../masking/mask-text';
import { findByRule } from './builtin-rules';
import type { GuardAnswer } from './guard-answer';
import { GuardFailure, GuardHttp } from './guard-http';
import { PatternMatcher } from './pattern-matcher';

/** Characters of a text in one call. */
const LONGEST_TEXT = 100_000;

const MOST_NAMES = 500;
const NAMES_MILLISECONDS = 5_000;

/** What a guard found in a text, before its mode applies. */
export interface GuardFinding {
  action: 'allow' | 'mask' | 'block';
  spans: GuardSpan[];
  reason: string | null;
  cost: Amount | null;
  /** Null: the guard decided. */
  error: GuardFault | null;
  durationMs: number;
}

/** Calls guards: services over HTTP, which pause after repeated failures, and the built-in rules. */
@Injectable()
export class GuardCaller {
  private readonly logger = new Logger(GuardCaller.name);
  private readonly breakers = new Map<number, { version: number; breaker: ServerBreaker }>();
  private readonly pseudonymKey: Buffer;
  /** The names of groups, by their ids. A stream causes many calls. */
  private readonly names = growingCache<string, Promise<string[]>>(MOST_NAMES, { ttl: NAMES_MILLISECONDS });

  constructor(
    private readonly http: GuardHttp,
    private readonly patterns: PatternMatcher,
    private readonly groups: AgentGroups,
    private readonly clock: Clock,
    serviceSecret: ServiceSecret,
  ) {
    this.pseudonymKey = serviceSecret.derive('guard-users');
  }

  /** Whether calls to the guard pause because it failed repeatedly. */
  isPaused(guard: Guard): boolean {
    return this.breakerOf(guard).isOpen;
  }

  /** Never rejects: a failure is a finding with `error`. */
  async call(guard: Guard, text: GuardText, scope: GuardScope, signal?: AbortSignal): Promise<GuardFinding> {
    const beganAt = performance.now();
    const found: GuardFinding = { action: 'allow', spans: [], reason: null, cost: null, error: null, durationMs: 0 };
    try {
      for (const piece of piecesOf(text, guard.window)) {
        const answer = await this.callPiece(guard, piece, scope, signal ?? new AbortController().signal);
        found.action = stronger(found.action, answer.action);
        found.spans.push(
          ...answer.spans.map(({ start, end, type }) => ({ start: start + piece.unit, end: end + piece.unit, type })),
        );
        found.reason ??= answer.reason;
        found.cost = answer.cost === null ? found.cost : (found.cost ?? 0n) + answer.cost;
      }
    } catch (error) {
      found.error = this.faultOf(guard, error);
    }
    return { ...found, spans: joinSpans(found.spans), durationMs: millisecondsSince(beganAt) };
  }

  private async callPiece(guard: Guard, text: GuardText, scope: GuardScope, signal: AbortSignal): Promise<GuardAnswer> {
    if (guard.kind === 'builtin') {
      return { ...(await this.findBuiltin(guard, text.text)), reason: null, cost: null };
    }
    const breaker = this.breakerOf(guard);
    if (!breaker.mayAsk()) {
      throw new GuardFailure('paused');
    }
    try {
      const body = await this.bodyOf(guard, text, scope);
      const answer = await this.http.call(guard, body, new TextPlaces(text.text), signal);
      breaker.succeeded();
      return answer;
    } catch (error) {
      // The caller's own end is not a failure of the guard.
      if (!signal.aborted) {
        breaker.failed();
      }
      throw error;
    }
  }

  private async findBuiltin({ rules }: Guard, text: string): Promise<Pick<GuardAnswer, 'action' | 'spans'>> {
    const spans = rules.flatMap((rule) => (typeof rule === 'string' ? findByRule(rule, text) : []));
    const patterns = rules.filter((rule) => typeof rule !== 'string');
    if (patterns.length > 0) {
      const found = await this.patterns.match({ text, patterns: patterns.map(({ pattern }) => pattern) });
      patterns.forEach(({ type }, index) =>
        spans.push(...(found[index] ?? []).map(([start, end]) => ({ start, end, type }))),
      );
    }
    return { action: spans.length > 0 ? 'mask' : 'allow', spans };
  }

  private async bodyOf({ mode }: Guard, text: GuardText, scope: GuardScope): Promise<object> {
    const { groupIds, agent, language, chatId, messageId, userId } = scope;
    return {
      version: 1,
      stage: text.stage,
      part: text.part,
      mode,
      text: text.text,
      language,
      agent: agent && { id: agent.id, name: agent.name },
      groups: await this.namesOf(groupIds),
      user: `u_${createHmac('sha256', this.pseudonymKey).update(String(userId)).digest('hex').slice(0, 16)}`,
      chat_id: chatId,
      message_id: messageId,
      offset: text.offset,
      final: text.final,
    };
  }

  private namesOf(groupIds: readonly number[]): Promise<string[]> {
    const key = groupIds.join();
    let names = this.names.get(key);
    if (names === undefined) {
      names = key === '' ? Promise.resolve([]) : this.readNames(groupIds);
      this.names.set(key, names);
      names.catch(() => this.names.delete(key));
    }
    return names;
  }

  private async readNames(groupIds: readonly number[]): Promise<string[]> {
    const names = await this.groups.namesOf(groupIds);
    return groupIds.flatMap((id) => names.get(id) ?? []);
  }

  /** A changed guard begins without failures: the change may be their remedy. */
  private breakerOf({ id, version }: Guard): ServerBreaker {
    const known = this.breakers.get(id);
    if (known?.version === version) {
      return known.breaker;
    }
    const breaker = new ServerBreaker(() => this.clock.now().getTime());
    this.breakers.set(id, { version, breaker });
    return breaker;
  }

  private faultOf({ id, name }: Guard, error: unknown): GuardFault {
    if (error instanceof GuardFailure) {
      return error.fault;
    }
    this.logger.error({ error, guard_id: id, guard: name }, 'A guard could not be called.');
    return 'internal_error';
  }
}

const ACTIONS = ['allow', 'mask', 'block'] as const;

function stronger(one: GuardFinding['action'], other: GuardFinding['action']): GuardFinding['action'] {
  return ACTIONS.indexOf(other) > ACTIONS.indexOf(one) ? other : one;
}

/** A long text in pieces, of which each begins `overlap` characters before the end of the previous one. */
function piecesOf(text: GuardText, overlap: number): (GuardText & { unit: number })[] {
  if (text.text.length <= LONGEST_TEXT) {
    return [{ ...text, unit: 0 }];
  }
  const places = new TextPlaces(text.text);
  const pieces: (GuardText & { unit: number })[] = [];
  for (let start = 0; ; start += LONGEST_TEXT - overlap) {
    const end = Math.min(start + LONGEST_TEXT, places.codePoints);
    const unit = places.toUnits(start);
    const isLast = end === places.codePoints;
    const piece = text.text.slice(unit, places.toUnits(end));
    pieces.push({ ...text, text: piece, unit, offset: text.offset + start, final: text.final && isLast });
    if (isLast) {
      return pieces;
    }
  }
}
