import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Language } from '../../../common/i18n/language';
import type { Completion } from '../../../integrations/llm/completion';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { type FailedModel, ModelProviderError } from '../../../integrations/llm/llm.errors';
import { providerSentence } from '../../../integrations/llm/provider-outcome';

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
  /** The provider's own words, without keys. */
  message: string;
}

/** Asks a model for one answer, in the same way as chats do. Nothing is stored and nobody's quota is used. */
@Injectable()
export class ModelTrialService {
  constructor(private readonly models: LanguageModels) {}

  /**
   * @throws ValidationFailedError for an unknown provider or a missing model.
   * @throws ModelProviderError
   */
  async run(trial: ModelTrial, language: Language): Promise<Completion> {
    const provider = trial.provider ?? this.models.defaultProvider;
    const model = trial.model ?? null;
    this.assertAskable(provider, model);
    return this.models.complete({
      provider,
      model,
      language,
      messages: [{ role: 'user', content: trial.content ?? DEFAULT_CONTENT }],
      parameters: { max_tokens: MOST_TOKENS },
      timeoutSeconds: LONGEST_SECONDS,
    });
  }

  /** @param trial what was tried */
  explain(error: ModelProviderError, trial: ModelTrial): ModelFailure {
    const { provider, model, host } = error.failedModel ?? this.models.lookUp(trial);
    return {
      provider,
      model,
      host,
      status: error.providerStatus,
      message: providerSentence(error) ?? error.message,
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
