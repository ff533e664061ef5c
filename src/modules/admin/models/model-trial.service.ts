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

/** Enough to see that it answers. */
const MOST_TOKENS = 256;
const LONGEST_SECONDS = 60;

/** What to try. */
export interface ModelTrial {
  /** Absent or null: the default one. */
  provider?: string | null;
  /** Absent or null: the provider's default one. */
  model?: string | null;
  /** Absent or null: a greeting. */
  content?: string | null;
}

/** What an administrator learns about a failure: who was asked, and what came back. */
export interface ModelFailure extends FailedModel {
  /** HTTP status of the provider's answer; null when there was none. */
  status: number | null;
  /** The kind of the failure. */
  reason: OutcomeReason;
  /** The provider's own words, without keys; null for a caller who may not see them. */
  message: string | null;
}

/**
 * Whether a caller may see what a provider says. Who holds an API key can let the service ask any server in its network: the
 * key of a program must not read there.
 */
export function maySeeWords({ apiKeyId }: Principal): boolean {
  return apiKeyId === null;
}

/** Asks a model for one answer, in the same way as chats do. Nothing is stored but its cost, and nobody's quota is used. */
@Injectable()
export class ModelTrialService {
  constructor(
    private readonly models: LanguageModels,
    private readonly sideModels: SideModels,
  ) {}

  /**
   * @throws ValidationFailedError for an unknown provider or a missing model.
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

  /** @param trial what was tried */
  explain(error: ModelProviderError, trial: ModelTrial, principal: Principal): ModelFailure {
    const { provider, model, host } = error.failedModel ?? this.models.lookUp(trial);
    return {
      provider,
      model,
      host,
      status: error.providerStatus,
      reason: reasonOf(error),
      message: maySeeWords(principal) ? (providerSentence(error) ?? error.message) : null,
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

/** The same failure, with its explanation in `details`: for administrators. */
export function explained(error: ModelProviderError, explanation: ModelFailure): ModelProviderError {
  const SameError = error.constructor as new (
    details: Record<string, unknown>,
    options: ModelProviderError['options'],
  ) => ModelProviderError;
  return new SameError({ ...error.details, ...explanation }, error.options);
}
