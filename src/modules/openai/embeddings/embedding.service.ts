import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { EmbeddingModels } from '../../../integrations/llm/embedding-models';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import { IdempotencyService, type RepeatableRequest, RunningLimit } from '../../generation/generation.api';
import {
  EmbeddingRequests,
  EmbeddingSettings,
  EmbeddingsUnavailableError,
  isUselessAnswer,
  vectorBytes,
} from '../../knowledge/knowledge.api';
import { CostLedger } from '../../usage/usage.api';
import { costMember } from '../cost-member';
import { ModelResolver } from '../model-resolver';
import { ModelNotFoundError } from '../openai.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import type { EmbeddingListDto } from './embedding.dto';
import type { EmbeddingBody } from './embedding-request.schema';
import { type AnsweredEmbeddings, KeptEmbeddings } from './kept-embeddings';

const ANSWER_MILLISECONDS = MINUTE_MILLISECONDS;

/** The route in the fingerprints of repeated requests. */
const ROUTE = `POST /${OPENAI_PREFIX}/embeddings`;

/** Storage is reserved for vectors of this length if the length is unknown. */
const LONGEST_VECTOR = 4_096;

/** A request of a client. */
interface AskedEmbeddings {
  caller: Principal;
  model: NamedModel;
  body: EmbeddingBody;
  repeatable: RepeatableRequest;
  /** Ends when the client disconnects, or has waited long enough. */
  signal: AbortSignal;
}

/** Embeds what clients send. */
@Injectable()
export class EmbeddingService {
  private readonly running = new Map<number, number>();

  constructor(
    private readonly settings: EmbeddingSettings,
    private readonly requests: EmbeddingRequests,
    private readonly models: EmbeddingModels,
    private readonly resolver: ModelResolver,
    private readonly counter: TokenCounter,
    private readonly ledger: CostLedger,
    private readonly limit: RunningLimit,
    private readonly idempotency: IdempotencyService,
    private readonly kept: KeptEmbeddings,
  ) {}

  /**
   * @throws ModelNotFoundError, IdempotencyConflictError, TooManyConcurrentError, QuotaExceededError,
   * BudgetExceededError, StorageQuotaExceededError, the errors of the provider, EmbeddingsUnavailableError
   */
  async answer(
    caller: Principal,
    body: EmbeddingBody,
    key: string | null,
    ended: AbortSignal,
  ): Promise<EmbeddingListDto> {
    const model = await this.modelOf(body.model);
    const signal = AbortSignal.any([ended, AbortSignal.timeout(ANSWER_MILLISECONDS)]);
    const repeatable = { userId: caller.userId, key, route: ROUTE, body };
    try {
      const answer = await this.idempotency.once(
        repeatable,
        () => this.inPlace(caller, () => this.request({ caller, model, body, repeatable, signal })),
        ({ chatId }) => this.kept.find(repeatable, chatId, signal),
      );
      return this.toDto(answer, body);
    } catch (error) {
      throw isUselessAnswer(error) || signal.aborted ? new EmbeddingsUnavailableError(error as Error) : error;
    }
  }

  /** Whether this name is the configured embedding model. */
  async isConfigured(name: string): Promise<boolean> {
    const current = await this.settings.current();
    return current !== null && (name === current.model || name === `${current.provider}/${current.model}`);
  }

  private async modelOf(name: string): Promise<NamedModel> {
    const current = await this.settings.current();
    if (current !== null && (await this.isConfigured(name))) {
      return { provider: current.provider, model: current.model };
    }
    const named = this.resolver.passedThrough(name);
    if (named === null || !this.models.canEmbed(named.provider)) {
      throw new ModelNotFoundError(name);
    }
    return named;
  }

  /** The request takes a place among the user's concurrent replies. */
  private async inPlace<Result>(caller: Principal, work: () => Promise<Result>): Promise<Result> {
    const { userId } = caller;
    const running = this.running.get(userId) ?? 0;
    await this.limit.assertMayBegin(caller, running);
    this.running.set(userId, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.running.get(userId) ?? 1) - 1;
      this.running.set(userId, left);
      if (left === 0) {
        this.running.delete(userId);
      }
    }
  }

  private async request({ caller, model, body, repeatable, signal }: AskedEmbeddings): Promise<AnsweredEmbeddings> {
    const { input, dimensions, user } = body;
    const tokens = await this.tokensOf(input);
    const count = typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
    const bytes = count * (dimensions ?? LONGEST_VECTOR) * Float32Array.BYTES_PER_ELEMENT;
    const kept: { id: number | null } = { id: null };
    try {
      return await this.requests.send(
        {
          payer: { userId: caller.userId, apiKeyId: caller.apiKeyId },
          model,
          request: { input, dimensions: dimensions ?? null, ...(user && { user }) },
          tokens,
        },
        {
          begin: async (manager, requestId) => {
            if (repeatable.key !== null) {
              const row = { requestId, bytes };
              await this.kept.begin(manager, caller, repeatable, row, (id) => (kept.id = id));
            }
          },
          succeed: async (manager, { vectors, tokens: counted }, cost) => {
            const answer = { vectors, tokens: counted ?? tokens, cost };
            await (kept.id !== null && this.kept.store(manager, kept.id, answer));
            return answer;
          },
        },
        signal,
      );
    } catch (error) {
      await (kept.id !== null && this.kept.forget(repeatable, kept.id));
      throw error;
    }
  }

  private toDto(
    { vectors, tokens, cost }: AnsweredEmbeddings,
    { model, encoding_format: format }: EmbeddingBody,
  ): EmbeddingListDto {
    const usage = { prompt_tokens: tokens, total_tokens: tokens, ...costMember(this.ledger.shown([{ cost }])) };
    const data = vectors.map((vector, index) => ({
      object: 'embedding' as const,
      index,
      embedding: format === 'base64' ? vectorBytes(vector).toString('base64') : [...vector],
    }));
    return { object: 'list', data, model, usage };
  }

  private async tokensOf(input: EmbeddingBody['input']): Promise<number> {
    const items = [input].flat();
    const texts = items.filter((item) => typeof item === 'string');
    const counts = texts.length === 0 ? [] : await this.counter.countAll(texts);
    const ofTokens = items.reduce<number>(
      (sum, item) => sum + (typeof item === 'number' ? 1 : Array.isArray(item) ? item.length : 0),
      0,
    );
    return counts.reduce((sum, count) => sum + count, ofTokens);
  }
}
