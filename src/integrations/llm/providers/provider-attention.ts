import type { AttentionItem } from '../../../common/attention/attention';
import type { ProviderDefinition } from '../port/provider-definition';
import type { ProviderHealth } from './provider-outcome';

/** So many attempts in a row are no accident. */
const MANY_FAILURES = 5;

interface Watched {
  definition: Pick<ProviderDefinition, 'name' | 'isActive'>;
  health: ProviderHealth;
}

/** What an administrator should know of a provider that is switched on. */
export function attentionOf({ definition, health }: Watched): AttentionItem[] {
  const { name, isActive } = definition;
  if (!isActive) return [];
  const { last, downSince, failing } = health;
  if (last?.isDown && last.reason === 'key_refused') {
    return [{ kind: 'provider_key_refused', since: downSince, count: 1, target: name }];
  }
  const models = [...failing].filter(([, { count }]) => count >= MANY_FAILURES);
  if (last?.isDown && models.length === 0) {
    return [{ kind: 'provider_failing', since: downSince, count: 1, target: name }];
  }
  return models.map(([model, { count, since }]) => ({
    kind: 'model_failing',
    since,
    count,
    target: `${name}:${model}`,
  }));
}
