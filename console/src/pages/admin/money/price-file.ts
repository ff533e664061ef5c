import type { ProviderDto } from 'chat-service-client';
import { api } from '../../../app/api';

export type PriceFormat = 'models.dev' | 'litellm';

/** A list of prices of somebody else. */
export interface PriceFile {
  format: PriceFormat;
  content: Record<string, unknown>;
  /** What it is called: its name, or for what came with the release its source and day. */
  source: string;
  asOf?: string;
}

export async function readBundled(): Promise<PriceFile> {
  const { file, source, as_of } = (await api.admin.prices.bundled()).data;
  return { format: 'models.dev', content: file, source, asOf: as_of };
}

/** The list in a file that somebody chose; undefined when it is no JSON object. */
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

/** The providers that a list names, in the order of their names. */
export function providersOf({ format, content }: PriceFile): string[] {
  const names =
    format === 'models.dev'
      ? Object.keys(content)
      : Object.values(content).map((model) => (model as { litellm_provider?: unknown } | null)?.litellm_provider);
  // The service takes no others in its map.
  const usable = names.filter((name): name is string => typeof name === 'string' && /^[^:,\s]+$/.test(name));
  return [...new Set(usable)].sort();
}

/** What a provider is called in a list, as far as its name or its address says so. */
export function guess({ name, kind, base_url }: ProviderDto, listed: readonly string[]): string {
  const host = (base_url ?? '').replace(/^\w+:\/\//, '').split('/')[0] ?? '';
  const isNamed = (word: string): boolean =>
    word === name.toLowerCase() || (kind === 'anthropic' && word === 'anthropic') || host.split('.').includes(word);
  return listed.find((provider) => isNamed(provider.toLowerCase())) ?? '';
}

/**
 * The map for the service. What several providers are called goes for whichever of them has the model.
 *
 * @param chosen what each of our providers is called in the list; empty: it is not in it
 * @param others whether the other providers of the list are taken too, for whichever provider has the model
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
