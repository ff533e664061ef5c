import { Injectable } from '@nestjs/common';
import { onePage, type Page } from '../../../common/envelope/page.dto';
import type { RequestContext } from '../../../common/security/request-context';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { explained, ModelTrialService } from './model-trial.service';
import { type ModelProviderDto, ModelTestDto, ModelTestResultDto, toModelTestResultDto } from './models.dto';

/** Shows and tries the models of the agents. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly models: LanguageModels,
    private readonly trials: ModelTrialService,
  ) {}

  describe(): Page<ModelProviderDto> {
    return onePage(
      this.models.describe().map(({ provider, kind, model, isConfigured, circuit }) => ({
        provider,
        kind,
        model,
        is_default: provider === this.models.defaultProvider,
        is_configured: isConfigured,
        circuit,
      })),
    );
  }

  /**
   * Sends one request to a model. Only its cost is stored, and no user's quota is used.
   *
   * @throws ValidationFailedError for an unknown provider or a missing model
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError with the provider's message
   */
  async test(body: ModelTestDto, { principal, language }: RequestContext): Promise<ModelTestResultDto> {
    try {
      return toModelTestResultDto(await this.trials.run(body, language, principal));
    } catch (error) {
      throw error instanceof ModelProviderError ? explained(error, this.trials.explain(error, body, principal)) : error;
    }
  }
}
