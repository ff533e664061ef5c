/**
 * What follows the model in names of other tariffs: `@fast`, then the tier `@priority` or `@batch`, then `@geo-` with the
 * geography. Names of some models contain other texts after an `@`.
 */
const TARIFF = /(@fast)?(@priority|@batch)?(@geo-[a-z0-9-]+)?$/;

/** A model's name, and its tariff. */
export interface TariffName {
  model: string;
  /** An empty text for the base tariff. */
  tariff: string;
}

/** Separates the tariff from the name of a model, or of a price. */
export function splitTariff(name: string): TariffName {
  const [tariff = ''] = TARIFF.exec(name) ?? [];
  return { model: name.slice(0, name.length - tariff.length), tariff };
}

/** The tariff with the provider's priority tier. */
export function withPriority(tariff: string): string {
  return tariff.replace(TARIFF, (_all, fast = '', _tier, geography = '') => `${fast}@priority${geography}`);
}

/** The tariff without the tier that the provider chose. */
export function withoutTier(tariff: string): string {
  return tariff.replace(TARIFF, (_all, fast = '', _tier, geography = '') => `${fast}${geography}`);
}
