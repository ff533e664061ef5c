import { Injectable } from '@nestjs/common';
import { INPUT_KINDS, type InputKind, MODEL_FEATURES, type ModelFeature } from '../port/message-parts';
import type { ModelsOfAgent } from '../port/model-reference';
import { ModelRegistry } from './model-registry';

/**
 * The kinds of input that agents accept: images if at least one of their models does, and always files, because models
 * that accept none get their text.
 */
@Injectable()
export class ModelInputs {
  private known = new WeakMap<ModelsOfAgent, readonly InputKind[]>();
  private providers: ModelRegistry['providers'] | null = null;

  constructor(private readonly registry: ModelRegistry) {}

  /** Returns the same list object for the same agent until a provider changes, because agents stay in memory. */
  of(models: ModelsOfAgent): readonly InputKind[] {
    if (this.providers !== this.registry.providers) {
      this.providers = this.registry.providers;
      this.known = new WeakMap();
    }
    let input = this.known.get(models);
    if (input === undefined) {
      input = this.find(models);
      this.known.set(models, input);
    }
    return input;
  }

  /** The features that none of the models supports. */
  missing(models: ModelsOfAgent): ReadonlySet<ModelFeature> {
    const features = this.featuresOf(models);
    return new Set(MODEL_FEATURES.filter((feature) => !features.has(feature)));
  }

  private find(models: ModelsOfAgent): InputKind[] {
    const features = this.featuresOf(models);
    return INPUT_KINDS.filter((kind) => kind !== 'image' || features.has('images'));
  }

  private featuresOf(models: ModelsOfAgent): ReadonlySet<ModelFeature> {
    const entries = this.registry
      .referencesOf(models)
      .map(({ provider }) => this.registry.find(provider ?? this.registry.defaultProvider));
    return new Set(entries.flatMap((entry) => [...(entry?.provider.features ?? [])]));
  }
}
