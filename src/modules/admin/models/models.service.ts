import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Language } from '../../../common/i18n/language';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ModelProvidersDto, ModelTestDto, ModelTestResultDto } from './models.dto';

const DEFAULT_CONTENT = 'Say hello in one short sentence.';

/** Enough to see that it answers. */
const MOST_TOKENS = 256;
const LONGEST_SECONDS = 60;

/** The language models behind the agents. */
@Injectable()
export class ModelsService {
  constructor(private readonly models: LanguageModels) {}

  describe(): ModelProvidersDto {
    return {
      items: this.models.describe().map(({ provider, model, configured, circuit }) => ({
        provider,
        model,
        is_default: provider === this.models.defaultProvider,
        is_configured: configured,
        circuit,
      })),
    };
  }

  /**
   * Lets a model answer once. Nothing is stored and nobody's quota is used.
   *
   * @throws ValidationFailedError for a provider that is not set up, or a missing model.
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError
   */
  async test(body: ModelTestDto, language: Language): Promise<ModelTestResultDto> {
    const provider = body.provider ?? this.models.defaultProvider;
    const model = body.model ?? null;
    this.assertUsable(provider, model);
    const started = performance.now();
    let content = '';
    let firstTokenMs: number | null = null;
    const result = await this.models.generate(
      {
        provider,
        model,
        language,
        messages: [{ role: 'user', content: body.content ?? DEFAULT_CONTENT }],
        parameters: { max_tokens: MOST_TOKENS },
        timeoutSeconds: LONGEST_SECONDS,
      },
      {
        onText: (text) => {
          firstTokenMs ??= Math.round(performance.now() - started);
          content += text;
        },
      },
      new AbortController().signal,
    );
    return {
      provider: result.provider,
      model: result.model,
      content,
      finish_reason: result.finishReason,
      prompt_tokens: result.usage?.prompt_tokens ?? null,
      completion_tokens: result.usage?.completion_tokens ?? null,
      first_token_ms: firstTokenMs,
      duration_ms: Math.round(performance.now() - started),
    };
  }

  private assertUsable(provider: string, model: string | null): void {
    const described = this.models.describe().find((candidate) => candidate.provider === provider);
    if (!described?.configured) {
      throw ValidationFailedError.of('provider', 'not_offered');
    }
    if (model === null && described.model === null) {
      throw ValidationFailedError.of('model', 'required');
    }
  }
}
