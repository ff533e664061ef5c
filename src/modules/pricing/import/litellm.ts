import { type FileModel, type FileNumbers, membersOf, objectOf } from './price-file';

/** The entry that documents the others. */
const EXPLANATION = 'sample_spec';

const NAMES = {
  input: 'input_cost_per_token',
  cached_input: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  output: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
  per_request: 'input_cost_per_request',
  per_image: 'input_cost_per_image',
} as const;

const ABOVE = /_above_(\d+)(k?)_tokens$/;

/** `model_prices_and_context_window.json` of LiteLLM: models with prices per token. */
export function* litellmModels(file: unknown): Generator<FileModel> {
  for (const [name, details] of membersOf(file)) {
    const { litellm_provider, ...members } = objectOf(details);
    if (name !== EXPLANATION && typeof litellm_provider === 'string') {
      const prefix = `${litellm_provider}/`;
      yield {
        provider: litellm_provider,
        model: name.startsWith(prefix) ? name.slice(prefix.length) : name,
        base: numbersOf(members, ''),
        above: [...tiersOf(members)],
      };
    }
  }
}

function* tiersOf(members: Record<string, unknown>): Generator<FileModel['above'][number]> {
  const endings = new Map(
    Object.keys(members).flatMap((name) => {
      const [ending, digits, thousands] = ABOVE.exec(name) ?? [];
      return ending === undefined ? [] : [[ending, +`${digits}${thousands === 'k' ? '000' : ''}`] as const];
    }),
  );
  for (const [ending, size] of endings) {
    yield { size, numbers: numbersOf(members, ending) };
  }
}

function numbersOf(members: Record<string, unknown>, ending: string): FileNumbers {
  return Object.fromEntries(Object.entries(NAMES).map(([name, theirs]) => [name, members[theirs + ending]]));
}
