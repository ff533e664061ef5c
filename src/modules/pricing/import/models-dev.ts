import { type FileModel, type FileNumbers, membersOf, objectOf } from './price-file';

/** `api.json` of models.dev: providers with their models, whose `cost` is per million tokens. */
export function* modelsDevModels(file: unknown): Generator<FileModel> {
  for (const [provider, description] of membersOf(file)) {
    for (const [model, details] of membersOf(objectOf(description).models)) {
      const cost = objectOf(objectOf(details).cost);
      yield { provider, model, base: numbersOf(cost), above: [...tiersOf(cost)] };
    }
  }
}

/** `tiers` is more detailed than `context_over_200k`, which is older. If both exist, they mean the same tiers. */
function* tiersOf({ tiers, context_over_200k }: Record<string, unknown>): Generator<FileModel['above'][number]> {
  if (Array.isArray(tiers)) {
    for (const tier of tiers.map(objectOf)) {
      const { type, size } = objectOf(tier.tier);
      if (type === 'context') {
        yield { size: size as number, numbers: numbersOf(tier) };
      }
    }
  } else if (context_over_200k !== undefined) {
    yield { size: 200_000, numbers: numbersOf(objectOf(context_over_200k)) };
  }
}

function numbersOf({ input, cache_read, cache_write, output, reasoning }: Record<string, unknown>): FileNumbers {
  return { input, cached_input: cache_read, cache_write, output, reasoning };
}
