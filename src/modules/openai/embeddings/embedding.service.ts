import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { EmbeddingModels } from '../../../integrations/llm/embedding-models';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import { RunningLimit } from '../../generation/generation.api';
import {
  EmbeddingRequests,
  EmbeddingSettings,
  EmbeddingsUnavailableError,
  isUselessAnswer,
} from '../../knowledge/knowledge.api';
import { CostLedger } from '../../usage/usage.api';
import { costMember } from '../cost-member';
import { ModelResolver } from '../model-resolver';
import { ModelNotFoundError } from '../openai.errors';
import type { EmbeddingListDto } from './embedding.dto';
import type { EmbeddingBody } from './embedding-request.schema';

const ANSWER_MILLISECONDS = MINUTE_MILLISECONDS;

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
  ) {}

  /**
   * @throws ModelNotFoundError, TooManyConcurrentError, QuotaExceededError, BudgetExceededError, the errors of the
   * provider, EmbeddingsUnavailableError
   */
  async answer(caller: Principal, body: EmbeddingBody, ended: AbortSignal): Promise<EmbeddingListDto> {
    const model = await this.modelOf(body.model);
    const { userId } = caller;
    const running = this.running.get(userId) ?? 0;
    await this.limit.assertMayBegin(caller, running);
    this.running.set(userId, running + 1);
    try {
      return await this.request(caller, model, body, ended);
    } catch (error) {
      throw isUselessAnswer(error) ? new EmbeddingsUnavailableError(error as Error) : error;
    } finally {
      const left = (this.running.get(userId) ?? 1) - 1;
      this.running.set(userId, left);
      if (left === 0) {
        this.running.delete(userId);
      }
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

  private async request(
    { userId, apiKeyId }: Principal,
    model: NamedModel,
    { input, dimensions, user, encoding_format: format, model: name }: EmbeddingBody,
    ended: AbortSignal,
  ): Promise<EmbeddingListDto> {
    const tokens = await this.tokensOf(input);
    const request = { input, dimensions: dimensions ?? null, ...(user && { user }) };
    return this.requests.send(
      { payer: { userId, apiKeyId }, model, request, tokens },
      {
        succeed: (_manager, { vectors, tokens: counted }, cost) => {
          const total = counted ?? tokens;
          const shown = this.ledger.shown([{ cost, priceId: null } as { cost: bigint | null }]);
          const usage = { prompt_tokens: total, total_tokens: total, ...costMember(shown) };
          const data = vectors.map((vector, index) => ({
            ...{ object: 'embedding' as const, index },
            embedding: format === 'base64' ? base64Of(vector) : [...vector],
          }));
          return Promise.resolve({ object: 'list' as const, data, model: name, usage });
        },
      },
      AbortSignal.any([ended, AbortSignal.timeout(ANSWER_MILLISECONDS)]),
    );
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

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT));
  return bytes.toString('base64');
}
