import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import { LanguageModels } from './language-models';
import type { CalledModel } from './port/called-model';
import { type Completion, type GenerationRequest, ReplyCollector } from './port/completion';
import type { ModelMessage } from './port/language-model-provider';

/** The cause and purpose of a request that is not a reply. */
export interface SideRequest {
  kind: 'title' | 'trial';
  userId: number;
  /** Null: none. */
  apiKeyId: number | null;
  /** 0: none. */
  chatId: number;
  /** 0: none. */
  agentId: number;
  /** The reply to which it belongs; null: none. */
  messageId: number | null;
}

/** A request to a model. */
export interface SideCall {
  readonly called: CalledModel;
  readonly at: Date;
  /** Whether it is in the ledger already, because another request replaced it. */
  isWritten: boolean;
}

/** The requests of one side request, and their outcome. */
export interface SideRequests {
  readonly cause: SideRequest;
  readonly requests: readonly SideCall[];
  readonly messages: readonly ModelMessage[];
  /** The result; null if it failed. */
  readonly completion: Completion | null;
  /** Identifies the running request in the database. */
  readonly openId: number;
  /** Within `Database.write`, with the cost (null: unknown): releases the hold. Null: there was none. */
  readonly settle: SettleSide | null;
  /**
   * Settles a request that another one replaces, for which the same amount stays held. Throws if there is no room for
   * both. Null: there was no hold.
   */
  readonly spend: SettleSide | null;
}

export type SettleSide = (manager: EntityManager, cost: bigint | null) => Promise<void>;

/** A request that the gate has admitted. */
export interface AdmittedSide {
  /** The request in the admitted form. */
  request: GenerationRequest;
  openId: number;
  settle: SettleSide | null;
  spend: SettleSide | null;
}

/** A request that guards have checked. */
export interface GuardedSide {
  request: GenerationRequest;
  /** Checks the result. */
  finish(completion: Completion): Promise<Completion>;
}

type Guard = (request: GenerationRequest, cause: SideRequest) => Promise<GuardedSide | null>;

type Gate = (request: GenerationRequest, cause: SideRequest) => Promise<AdmittedSide>;

type Recorder = (asked: SideRequests) => Promise<void>;

/** Records the requests so far before another one. False: no other one may be made. */
type Keeper = (asked: SideRequests) => Promise<boolean>;

/**
 * Calls models for requests that are not replies, such as titles and trials. They cost money like replies, so the
 * recorder of the ledger is always notified, whatever the outcome.
 */
@Injectable()
export class SideModels {
  private recorder: Recorder = () => Promise.resolve();
  private keeper: Keeper = () => Promise.resolve(true);
  private guard: Guard = () => Promise.resolve(null);
  private gate: Gate = (request) => Promise.resolve({ request, openId: 0, settle: null, spend: null });

  constructor(
    private readonly models: LanguageModels,
    private readonly clock: Clock,
  ) {}

  /** Call it in a constructor. The result waits for the recorder. */
  onRecord(recorder: Recorder): void {
    this.recorder = recorder;
  }

  /** Call it in a constructor. A further request waits for the keeper. */
  onRepeat(keeper: Keeper): void {
    this.keeper = keeper;
  }

  /** Call it in a constructor. The gate may refuse a request, and stores admitted ones as running. */
  onAdmit(gate: Gate): void {
    this.gate = gate;
  }

  /** Call it in a constructor. The guard checks and changes requests and their results. Null: it changes nothing. */
  onGuard(guard: Guard): void {
    this.guard = guard;
  }

  /** @throws the errors of `LanguageModels.generate`, of the guard and of the gate */
  async complete(
    sent: GenerationRequest,
    cause: SideRequest,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Completion> {
    const guarded = await this.guard(sent, cause);
    const wanted = guarded?.request ?? sent;
    const requests: SideCall[] = [];
    const { messages } = wanted;
    const { request, ...admitted } = await this.gate(wanted, cause);
    const side = { cause, requests, messages, completion: null, ...admitted };
    const collector = new ReplyCollector(
      (called) => requests.push({ called, at: this.clock.now(), isWritten: false }),
      () => this.keeper(side),
    );
    let completion: Completion | null = null;
    try {
      completion = collector.toCompletion(
        await this.models.generate({ ...request, traced: { kind: cause.kind } }, collector, signal),
      );
    } finally {
      await this.recorder({ ...side, completion });
    }
    return guarded === null ? completion : guarded.finish(completion);
  }
}
