/** Stands for all providers of a file that are not named. */
const OTHERS = '*';

/** Leaves a provider out. */
const OUT = '-';

/** `file:ours` for each provider, comma-separated; `file:` is for whichever provider, `file:-` leaves it out, `*:…` means the others. */
export const PROVIDER_MAP = /^([^:,\s]+:[^:,\s]*)(,[^:,\s]+:[^:,\s]*)*$/;

/** The name here of each provider of a file; null: whichever has the model; undefined: it is left out. */
export type ProviderMap = (provider: string) => string | null | undefined;

/** @param text that `PROVIDER_MAP` allows; absent: providers keep their names */
export function toProviderMap(text: string | undefined): ProviderMap {
  const pairs = new Map((text ?? '').split(',').map((pair) => pair.split(':') as [string, string]));
  return (provider) => {
    const ours = pairs.get(provider) ?? pairs.get(OTHERS) ?? provider;
    return ours === OUT ? undefined : ours === '' ? null : ours;
  };
}
