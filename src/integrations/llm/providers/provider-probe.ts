import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { ModelProviderError } from '../port/llm.errors';
import type { ProviderEntry } from './model-registry';
import { hasNoList, providerSentence } from './provider-outcome';

/** Time limit of one try. */
const TRY_MILLISECONDS = 10_000;

/**
 * Tries each provider once, in the background. It asks for the list of models, which costs nothing and loads no model. The
 * log gets one line for each provider.
 */
@Injectable()
export class ProviderProbe implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderProbe.name);
  private readonly end = new AbortController();

  /** Returns at once. Leaves out the demo and providers that are switched off. */
  try(entries: ProviderEntry[]): void {
    entries
      .filter(({ definition, provider }) => definition.isActive && provider.host !== null)
      .forEach((entry) => void this.tryOne(entry));
  }

  onApplicationShutdown(): void {
    this.end.abort();
  }

  private async tryOne({ definition, provider, health }: ProviderEntry): Promise<void> {
    const who = { provider: definition.name, host: provider.host };
    try {
      const models = await provider.listModels(
        AbortSignal.any([this.end.signal, AbortSignal.timeout(TRY_MILLISECONDS)]),
      );
      health.listed();
      this.reportModel({ ...who, model: definition.model }, models);
    } catch (error) {
      if (this.end.signal.aborted || !(error instanceof ModelProviderError)) {
        return;
      }
      health.notListed(error);
      if (hasNoList(error)) {
        this.logger.log(who, 'A model provider answers but lists no models: the first reply will show the rest.');
        return;
      }
      const status = error.providerStatus;
      this.logger.warn({ ...who, status, answer: providerSentence(error) }, sentenceFor(status));
    }
  }

  private reportModel(found: { provider: string; host: string | null; model: string | null }, models: string[]): void {
    const { model } = found;
    if (model === null || models.includes(model) || models.includes(`${model}:latest`)) {
      this.logger.log(found, 'A model provider can be reached.');
    } else {
      this.logger.warn(found, 'A model provider answers but does not list the model: check its name.');
    }
  }
}

function sentenceFor(status: number | null): string {
  if (status === 401 || status === 403) {
    return 'A model provider refuses the key.';
  }
  return status === null ? 'A model provider cannot be reached.' : 'A model provider fails.';
}
