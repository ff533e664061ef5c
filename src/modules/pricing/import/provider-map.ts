/** Represents all providers of a file that are not listed. */
const OTHERS = '*';

/** Excludes a provider. */
const OUT = '-';

/**
 * `file:ours` for each provider, comma-separated; `file:` means any provider, `file:-` excludes it, `*:…` means the
 * others.
 */
export const PROVIDER_MAP = /^([^:,\s]+:[^:,\s]*)(,[^:,\s]+:[^:,\s]*)*$/;

/** The service's name of each provider in a file; null: any provider with the model; undefined: it is excluded. */
export type ProviderMap = (provider: string) => string | null | undefined;

/** @param text in the form of `PROVIDER_MAP`; absent: providers keep their names */
export function toProviderMap(text: string | undefined): ProviderMap {
  const pairs = new Map((text ?? '').split(',').map((pair) => pair.split(':') as [string, string]));
  return (provider) => {
    const ours = pairs.get(provider) ?? pairs.get(OTHERS) ?? provider;
    return ours === OUT ? undefined : ours === '' ? null : ours;
  };
}
