import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { type LanguageModelProvider } from '../port/language-model-provider';
import { type ParameterAdjustment, type ParameterAdjustments } from '../port/parameter-adjustment';
import { LONGEST_MODEL_NAME } from '../port/provider-definition';
import { ModelFactEntity } from './model-fact.entity';

/** Providers and operators change their models, so a learned fact is valid for a week. */
const FACT_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** The name of the fact about the model's window; all other facts are about a parameter on the wire. */
const CONTEXT_TOKENS = 'context_tokens';

interface KnownModel {
  provider: string;
  adjustments: ParameterAdjustments;
  contextTokens: number | null;
  expiresAt: number;
}

/** A model by its provider. */
export interface ModelIdentity {
  provider: LanguageModelProvider;
  model: string;
}

/** Learned facts as rows. Requests do not wait for the writes: a lost fact only costs one more request. */
@Injectable()
export class ModelFactStore {
  private readonly logger = new Logger(ModelFactStore.name);

  constructor(private readonly database: Database) {}

  /** Passes all rows to `take` when the database is ready, and deletes those from before `since`. */
  whenLoaded(since: () => Date, take: (facts: ModelFactEntity[]) => void): void {
    this.database.onReady(async () => {
      await this.database.write((manager) => deleteRows(manager, ModelFactEntity, { learnedAt: LessThan(since()) }));
      take(await findRows(this.database.manager, ModelFactEntity, {}));
    });
  }

  save(facts: Omit<ModelFactEntity, 'id'>[]): void {
    this.inBackground(() =>
      this.database.write((manager) =>
        upsertRows(manager, ModelFactEntity, facts, ['provider', 'endpoint', 'model', 'parameter']),
      ),
    );
  }

  deleteProvider(provider: string): void {
    this.inBackground(() => this.database.write((manager) => deleteRows(manager, ModelFactEntity, { provider })));
  }

  private inBackground(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      this.logger.warn({ error }, 'A learned fact about a model could not be stored; the service will learn it again.');
    });
  }
}

/** Facts learned from refusals of models: in memory for every request, in the database for the next start. */
@Injectable()
export class ModelKnowledge {
  private readonly models = new Map<string, KnownModel>();

  constructor(
    private readonly clock: Clock,
    private readonly store: ModelFactStore,
  ) {
    store.whenLoaded(
      () => new Date(this.clock.now().getTime() - FACT_MILLISECONDS),
      (facts) =>
        facts.forEach(({ provider, endpoint, model, parameter, adjustment, learnedAt }) =>
          this.keep(keyOf(provider, endpoint, model), provider, { [parameter]: adjustment }, learnedAt),
        ),
    );
  }

  adjustmentsOf({ provider, model }: ModelIdentity): ParameterAdjustments {
    return this.find(keyOf(provider.name, endpointOf(provider), model))?.adjustments ?? {};
  }

  /** Tokens of prompt and reply together that the provider has named; null if it has named none. */
  contextTokensOf({ provider, model }: ModelIdentity): number | null {
    return this.find(keyOf(provider.name, endpointOf(provider), model))?.contextTokens ?? null;
  }

  /** Stores changes that have helped. */
  learn({ provider, model }: ModelIdentity, adjustments: ParameterAdjustments, contextTokens: number | null): void {
    const window: ParameterAdjustments = contextTokens === null ? {} : { [CONTEXT_TOKENS]: { atMost: contextTokens } };
    const facts = { ...adjustments, ...window };
    const endpoint = endpointOf(provider);
    const learnedAt = this.clock.now();
    this.keep(keyOf(provider.name, endpoint, model), provider.name, facts, learnedAt);
    const key = { provider: provider.name, endpoint, model: model.slice(0, LONGEST_MODEL_NAME) };
    this.store.save(
      Object.entries(facts).map(([parameter, adjustment]) => ({ ...key, parameter, adjustment, learnedAt })),
    );
  }

  /** Drops all facts of a provider, because an administrator has changed it. */
  forget(provider: string): void {
    for (const [key, known] of this.models) {
      if (known.provider === provider) {
        this.models.delete(key);
      }
    }
    this.store.deleteProvider(provider);
  }

  private find(key: string): KnownModel | undefined {
    const known = this.models.get(key);
    if (known !== undefined && known.expiresAt <= this.clock.now().getTime()) {
      this.models.delete(key);
      return undefined;
    }
    return known;
  }

  private keep(key: string, provider: string, facts: ParameterAdjustments, learnedAt: Date): void {
    const known = this.find(key);
    const { [CONTEXT_TOKENS]: window, ...adjustments } = facts;
    this.models.set(key, {
      provider,
      adjustments: { ...known?.adjustments, ...adjustments },
      contextTokens: tokensOf(window) ?? known?.contextTokens ?? null,
      // All facts of a model expire with the oldest one, so that old and new facts never mix.
      expiresAt: Math.min(known?.expiresAt ?? Infinity, learnedAt.getTime() + FACT_MILLISECONDS),
    });
  }
}

function tokensOf(fact: ParameterAdjustment | undefined): number | null {
  return fact !== undefined && 'atMost' in fact ? fact.atMost : null;
}

function keyOf(provider: string, endpoint: string, model: string): string {
  return `${provider}\n${endpoint}\n${model.slice(0, LONGEST_MODEL_NAME)}`;
}

const endpoints = new WeakMap<LanguageModelProvider, string>();

/** A fingerprint, because an address may contain secrets. */
function endpointOf(provider: LanguageModelProvider): string {
  let endpoint = endpoints.get(provider);
  if (endpoint === undefined) {
    endpoint = createHash('sha256')
      .update(provider.address ?? '')
      .digest('hex')
      .slice(0, 32);
    endpoints.set(provider, endpoint);
  }
  return endpoint;
}
