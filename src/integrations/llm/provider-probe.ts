import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { ModelProviderError } from './llm.errors';
import type { ProviderEntry } from './model-registry';
import { providerSentence } from './provider-outcome';

/** Milliseconds for all of one try. */
const TIMEOUT = 10_000;

/** What servers answer that have no list of models. */
const NO_LIST = new Set([404, 405, 501]);

/**
 * Tries providers once, in the background, by asking for the list of their models: that costs nothing and loads no model.
 * The log says in one line each what was found.
 */
@Injectable()
export class ProviderProbe implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderProbe.name);
  private readonly end = new AbortController();

  /** Returns at once. The demo and what is switched off are left out. */
  try(entries: ProviderEntry[]): void {
    entries
      .filter(({ definition, provider }) => definition.isActive && provider.host !== null)
      .forEach((entry) => void this.tryOne(entry));
  }

  onApplicationShutdown(): void {
    this.end.abort();
  }

  private async tryOne({ definition, provider, health }: ProviderEntry): Promise<void> {
    const who = `Model provider "${definition.name}" (${provider.host})`;
    try {
      const models = await provider.listModels(AbortSignal.any([this.end.signal, AbortSignal.timeout(TIMEOUT)]));
      health.succeeded();
      this.tell(who, definition.model, models);
    } catch (error) {
      if (this.end.signal.aborted || !(error instanceof ModelProviderError)) {
        return;
      }
      if (error.providerStatus !== null && NO_LIST.has(error.providerStatus)) {
        this.logger.log(`${who} answers; it lists no models, so key and model show with the first reply.`);
        return;
      }
      health.failed(error);
      this.logger.warn(`${who} ${describe(error)}`);
    }
  }

  private tell(who: string, model: string | null, models: string[]): void {
    if (model === null || models.includes(model) || models.includes(`${model}:latest`)) {
      this.logger.log(`${who} works${model === null ? '' : ` and has the model ${model}`}.`);
    } else {
      this.logger.warn(`${who} answers, but does not list the model ${model}: check its name.`);
    }
  }
}

function describe(error: ModelProviderError): string {
  const status = error.providerStatus;
  const said = providerSentence(error) ?? 'no further detail';
  if (status === 401 || status === 403) {
    return `refuses the key (${status}): ${said}`;
  }
  return status === null ? `cannot be reached: ${said}` : `fails (${status}): ${said}`;
}
