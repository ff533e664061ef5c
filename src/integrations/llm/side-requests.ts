import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import { LanguageModels } from './language-models';
import type { AskedModel } from './port/asked-model';
import { type Completion, type GenerationRequest, ReplyCollector } from './port/completion';
import type { ModelMessage } from './port/language-model-provider';

/** Who causes a request that is no reply, and what for. */
export interface SideRequest {
  kind: 'title' | 'trial';
  userId: number;
  /** Null: none. */
  apiKeyId: number | null;
  /** 0: none. */
  chatId: number;
  /** 0: none. */
  agentId: number;
  /** The reply that it belongs to; null: none. */
  messageId: number | null;
}

/** A request to a model. */
export interface AskedSide {
  readonly asked: AskedModel;
  readonly at: Date;
  /** Whether the ledger has it, because it was left for another one. */
  isWritten: boolean;
}

/** What was asked for it. */
export interface SideRequests {
  readonly cause: SideRequest;
  readonly requests: readonly AskedSide[];
  readonly messages: readonly ModelMessage[];
  /** What came back; null when it failed. */
  readonly completion: Completion | null;
  /** By which the database knows that it is under way. */
  readonly openId: number;
  /** Within `Database.write`, with what it cost (null: unknown): ends what was held for it. Null: nothing was. */
  readonly settle: SettleSide | null;
  /** The same for what was left for another request, for which as much stays held. Throws when there is no room for both. */
  readonly spend: SettleSide | null;
}

export type SettleSide = (manager: EntityManager, cost: bigint | null) => Promise<void>;

/** A request that may be made. */
export interface AdmittedSide {
  /** As it may be made. */
  request: GenerationRequest;
  openId: number;
  settle: SettleSide | null;
  spend: SettleSide | null;
}

type Gate = (request: GenerationRequest, cause: SideRequest) => Promise<AdmittedSide>;

type Recorder = (asked: SideRequests) => Promise<void>;

/** Writes down what was left for another request. False: no other one may be made. */
type Keeper = (asked: SideRequests) => Promise<boolean>;

/**
 * Asks models for what is no reply, such as titles and trials. It costs as replies do, so whoever keeps the ledger is told,
 * whatever became of it.
 */
@Injectable()
export class SideModels {
  private recorder: Recorder = () => Promise.resolve();
  private keeper: Keeper = () => Promise.resolve(true);
  private gate: Gate = (request) => Promise.resolve({ request, openId: 0, settle: null, spend: null });

  constructor(
    private readonly models: LanguageModels,
    private readonly clock: Clock,
  ) {}

  /** Call it in a constructor. The answer waits for the recorder. */
  onAsked(recorder: Recorder): void {
    this.recorder = recorder;
  }

  /** Call it in a constructor. A further request waits for the keeper. */
  onAskingAgain(keeper: Keeper): void {
    this.keeper = keeper;
  }

  /** Call it in a constructor. The gate may refuse a request; what it lets pass is stored as under way. */
  onAsking(gate: Gate): void {
    this.gate = gate;
  }

  /** @throws what `LanguageModels.generate` throws, and what the gate throws */
  async complete(
    wanted: GenerationRequest,
    cause: SideRequest,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Completion> {
    const requests: AskedSide[] = [];
    const { messages } = wanted;
    const { request, ...admitted } = await this.gate(wanted, cause);
    const side = { cause, requests, messages, completion: null, ...admitted };
    const collector = new ReplyCollector(
      (asked) => requests.push({ asked, at: this.clock.now(), isWritten: false }),
      () => this.keeper(side),
    );
    let completion: Completion | null = null;
    try {
      completion = collector.completedBy(await this.models.generate(request, collector, signal));
      return completion;
    } finally {
      await this.recorder({ ...side, completion });
    }
  }
}
