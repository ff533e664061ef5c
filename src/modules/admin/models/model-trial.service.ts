import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Language } from '../../../common/i18n/language';
import type { Principal } from '../../../common/security/principal';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { Completion } from '../../../integrations/llm/port/completion';
import { type FailedModel, ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { type OutcomeReason, providerSentence, reasonOf } from '../../../integrations/llm/providers/provider-outcome';
import { SideModels } from '../../../integrations/llm/side-requests';

const DEFAULT_CONTENT = 'Say hello in one short sentence.';

/** Enough to see that the model answers. */
const MOST_TOKENS = 256;
const LONGEST_SECONDS = 60;

/** The model and message of a trial. */
export interface ModelTrial {
  /** If absent or null, the default provider. */
  provider?: string | null;
  /** If absent or null, the provider's default model. */
  model?: string | null;
  /** If absent or null, a greeting. */
  content?: string | null;
}

/** Details of a failure for administrators: the called model and the response. */
export interface ModelFailure extends FailedModel {
  /** HTTP status of the provider's response. Null if there was none. */
  status: number | null;
  /** Category of the failure. */
  reason: OutcomeReason;
  /** The provider's own message, without keys. Null if the caller may not see it. */
  message: string | null;
}

/**
 * Whether a caller may see a provider's message. An API key can make the service call any server in its network, and a
 * leaked key must not be able to read the responses.
 */
export function maySeeContent({ apiKeyId }: Principal): boolean {
  return apiKeyId === null;
}

/** Sends one request to a model, in the same way as chats do. Only its cost is stored, and no user's quota is used. */
@Injectable()
export class ModelTrialService {
  constructor(
    private readonly models: LanguageModels,
    private readonly sideModels: SideModels,
  ) {}

  /**
   * @throws ValidationFailedError for an unknown provider or a missing model
   * @throws ModelProviderError
   */
  async run(
    trial: ModelTrial,
    language: Language,
    { userId, apiKeyId }: Pick<Principal, 'userId' | 'apiKeyId'>,
  ): Promise<Completion> {
    const provider = trial.provider ?? this.models.defaultProvider;
    const model = trial.model ?? null;
    this.assertAskable(provider, model);
    return this.sideModels.complete(
      {
        provider,
        model,
        language,
        messages: [{ role: 'user', content: trial.content ?? DEFAULT_CONTENT }],
        parameters: { max_tokens: MOST_TOKENS },
        timeoutSeconds: LONGEST_SECONDS,
      },
      { kind: 'trial', userId, apiKeyId, chatId: 0, agentId: 0, messageId: null },
    );
  }

  /** @param trial the trial that failed */
  explain(error: ModelProviderError, trial: ModelTrial, principal: Principal): ModelFailure {
    const { provider, model, host } = error.failedModel ?? this.models.lookUp(trial);
    return {
      provider,
      model,
      host,
      status: error.providerStatus,
      reason: reasonOf(error),
      message: maySeeContent(principal) ? (providerSentence(error) ?? error.message) : null,
    };
  }

  private assertAskable(provider: string, model: string | null): void {
    const { isKnown, model: named } = this.models.lookUp({ provider, model });
    if (!isKnown) {
      throw ValidationFailedError.of('provider', 'not_offered');
    }
    if (named === null) {
      throw ValidationFailedError.of('model', 'required');
    }
  }
}

/** The same error with its explanation in `details`, for administrators. */
export function explained(error: ModelProviderError, explanation: ModelFailure): ModelProviderError {
  const SameError = error.constructor as new (
    details: Record<string, unknown>,
    options: ModelProviderError['options'],
  ) => ModelProviderError;
  return new SameError({ ...error.details, ...explanation }, error.options);
}
