import type { ProviderDto } from 'chat-service-client';
import { api } from '../../../app/api';

export type PriceFormat = 'models.dev' | 'litellm';

/** A third-party price list. */
export interface PriceFile {
  format: PriceFormat;
  content: Record<string, unknown>;
  /** Display name: the file name, or the source of the bundled list. */
  source: string;
  asOf?: string;
}

export async function readBundled(): Promise<PriceFile> {
  const { file, source, as_of } = (await api.admin.prices.bundled()).data;
  return { format: 'models.dev', content: file, source, asOf: as_of };
}

/** Parses the chosen file; undefined if it is not a JSON object. */
export async function readChosen(file: File, format: PriceFormat): Promise<PriceFile | undefined> {
  const content = parsed(await file.text());
  return typeof content === 'object' && content !== null && !Array.isArray(content)
    ? { format, content: content as PriceFile['content'], source: file.name }
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The provider names in a list, sorted. */
export function providersOf({ format, content }: PriceFile): string[] {
  const names =
    format === 'models.dev'
      ? Object.keys(content)
      : Object.values(content).map((model) => (model as { litellm_provider?: unknown } | null)?.litellm_provider);
  // The service accepts no other names in the mapping.
  const usable = names.filter((name): name is string => typeof name === 'string' && /^[^:,\s]+$/.test(name));
  return [...new Set(usable)].sort();
}

/** Guesses a provider's name in the list from its name, type or host. */
export function guess({ name, kind, base_url }: ProviderDto, listed: readonly string[]): string {
  const host = (base_url ?? '').replace(/^\w+:\/\//, '').split('/')[0] ?? '';
  const isNamed = (word: string): boolean =>
    word === name.toLowerCase() || (kind === 'anthropic' && word === 'anthropic') || host.split('.').includes(word);
  return listed.find((provider) => isNamed(provider.toLowerCase())) ?? '';
}

/**
 * The mapping parameter of the import. If several providers share a name in the list, the service assigns each price to
 * the provider that has the model.
 *
 * @param chosen the name in the list for each provider; empty: the list does not have the provider
 * @param others whether prices of other listed providers are imported too, for any provider that has the model
 */
export function mapOf(chosen: Readonly<Record<string, string>>, others: boolean): string {
  const ours = new Map<string, string[]>();
  for (const [own, listed] of Object.entries(chosen)) {
    if (listed) ours.set(listed, [...(ours.get(listed) ?? []), own]);
  }
  const isWritable = (name: string): boolean => /^[^:,\s]+$/.test(name);
  const pairs = [...ours].map(([listed, [own = '', ...more]]) =>
    more.length === 0 && isWritable(own) ? `${listed}:${own}` : `${listed}:`,
  );
  return [...pairs, others ? '*:' : '*:-'].join(',');
}
