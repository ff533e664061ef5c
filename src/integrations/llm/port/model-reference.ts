import type { CompletionRequest } from './language-model-provider';

/** A model of a provider, by the names used in requests. */
export interface NamedModel {
  provider: string;
  model: string;
}

/** Refers to a model of a provider. A part that is null or absent means the default. */
export interface ModelReference {
  provider?: string | null;
  model?: string | null;
}

/** A request, and the models that may answer it. */
export interface RequestToModels extends CompletionRequest {
  /** null: the configured provider. */
  provider: string | null;
  /** Tried in this order after the model has failed: `model`, `provider:model`, or an object with both. */
  fallbackModels?: readonly (string | ModelReference)[];
}

/** The models that answer for an agent. */
export type ModelsOfAgent = Pick<RequestToModels, 'provider' | 'model' | 'fallbackModels'>;
