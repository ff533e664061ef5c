import type { ProviderUsage } from './language-model-provider';

/** One request to a model, with what is known of what it costs. It changes while the request runs. */
export interface AskedModel {
  /** The provider's name. */
  readonly provider: string;
  /** The model's name as it was asked. */
  readonly model: string;
  /** Images of its prompt. */
  readonly images: number;
  /** Whether the provider took it: it answered with success, or was left because it took too long. What it refuses is free. */
  isTaken: boolean;
  /** Whether it failed before its first word: another request may follow. */
  hasFailed: boolean;
  /** What the provider has told so far, which may be less than the whole; null: nothing. */
  usage: ProviderUsage | null;
  /** The model that answered, by its own name; null: it has not said it. */
  answered: string | null;
}
