import { Injectable, Logger } from '@nestjs/common';
import { GuardUnavailableError } from '../../../common/errors/guard.errors';
import { GuardPresence } from '../../../common/guard-presence';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import type { SpanOptions } from '../../../common/tracing/span';
import { Tracing } from '../../../common/tracing/tracing';
import { GuardCaller, type GuardFinding } from '../calling/guard-caller';
import type { GuardMode, GuardStage, RestoreRule } from '../guards/guard.entity';
import { type Guard, GuardStore } from '../guards/guard.store';
import { GuardReports } from '../reporting/guard-reports';
import type { GuardFault, GuardScope, GuardText, GuardVerdict } from './guard-check';
import { countTypes } from './guard-spans';

const ALLOWED = { action: 'allow', spans: [], types: {} } as const;

/** An active guard that applies to a text. */
export class AppliedGuard {
  constructor(
    private readonly guard: Guard,
    private readonly caller: GuardCaller,
    private readonly reports: GuardReports,
    private readonly tracing: Tracing,
    private readonly logger: Logger,
  ) {}

  get id(): number {
    return this.guard.id;
  }

  get name(): string {
    return this.guard.name;
  }

  /** Incremented by each change of the guard. */
  get version(): number {
    return this.guard.version;
  }

  get mode(): GuardMode {
    return this.guard.mode;
  }

  /** Characters of output that wait for the check of those that follow. */
  get window(): number {
    return this.guard.window;
  }

  get restore(): RestoreRule {
    return this.guard.restore;
  }

  /**
   * Checks a text and applies the guard's mode. A guard with the mode `report` allows every text and never throws, so
   * do not wait for it.
   *
   * @throws GuardUnavailableError if the guard could not decide and refuses texts then
   */
  async check(text: GuardText, scope: GuardScope, signal?: AbortSignal): Promise<GuardVerdict> {
    const finding = await this.tracing.trace(`guard ${this.name}`, this.spanOf(text), async (span) => {
      const found = await this.caller.call(this.guard, text, scope, signal);
      span.set({ [ATTRIBUTES.guardAction]: this.actionFor(found), [ATTRIBUTES.guardFindings]: found.spans.length });
      if (found.error !== null) {
        span.fail(found.error);
      }
      return found;
    });
    const isAborted = finding.error !== null && signal?.aborted === true;
    const types = countTypes(finding.spans);
    const action = this.actionFor(finding);
    if (!isAborted) {
      const shown = this.mode === 'report' ? 'report' : action;
      await this.reports.record({ guard: this.guard, stage: text.stage, scope, finding, action: shown, types });
    }
    if (this.mode === 'report') {
      return { ...ALLOWED, isDecided: finding.error === null };
    }
    if (finding.error !== null) {
      return this.verdictWithout(finding.error, isAborted);
    }
    return { action, types, spans: action === 'mask' ? finding.spans : [], isDecided: true };
  }

  private spanOf({ stage }: GuardText): SpanOptions {
    return {
      kind: this.guard.kind === 'builtin' ? 'internal' : 'client',
      attributes: { [ATTRIBUTES.guardStage]: stage, [ATTRIBUTES.guardMode]: this.mode },
    };
  }

  actionFor({ action, spans, error }: GuardFinding): GuardVerdict['action'] {
    if (error !== null) {
      return this.guard.onError === 'open' ? 'allow' : 'block';
    }
    const isFound = spans.length > 0;
    if (this.mode === 'block') {
      return action === 'block' || isFound ? 'block' : 'allow';
    }
    return action === 'block' ? 'block' : isFound ? 'mask' : 'allow';
  }

  private verdictWithout(error: GuardFault, isAborted: boolean): GuardVerdict {
    if (this.guard.onError === 'open' && !isAborted) {
      return { ...ALLOWED, isDecided: false };
    }
    this.logger.warn({ guard: this.name, reason: error }, 'A text is refused, because a guard could not check it.');
    throw new GuardUnavailableError();
  }
}

/** Finds the guards that apply to a text. */
@Injectable()
export class Guards {
  private readonly logger = new Logger(Guards.name);

  constructor(
    private readonly store: GuardStore,
    private readonly caller: GuardCaller,
    private readonly reports: GuardReports,
    private readonly presence: GuardPresence,
    private readonly tracing: Tracing,
  ) {}

  /** Whether any guard is active. */
  get hasAny(): boolean {
    return this.presence.isAny;
  }

  /** The active guards of a stage for a sender and an agent, by position. */
  of(stage: GuardStage, { groupIds, agent }: Pick<GuardScope, 'groupIds' | 'agent'>): readonly AppliedGuard[] {
    return this.store.all
      .filter(
        (guard) =>
          guard.isActive &&
          guard.stages.includes(stage) &&
          (guard.groupIds === null || guard.groupIds.some((id) => groupIds.includes(id))) &&
          (guard.agentIds === null || (agent !== null && guard.agentIds.includes(agent.id))),
      )
      .map((guard) => this.applied(guard));
  }

  applied(guard: Guard): AppliedGuard {
    return new AppliedGuard(guard, this.caller, this.reports, this.tracing, this.logger);
  }
}
