import { exactNumber } from '../../common/http/exact-json';
import type { ReplyTokenUsage } from '../../common/token-usage';

/** The member `cost` of a usage, in the format of other services; `toExactJson` writes its digits. */
export function costMember(usage: Pick<ReplyTokenUsage, 'cost'> | null): { cost?: number | null } {
  const { cost } = usage ?? {};
  return cost === undefined ? {} : { cost: cost === null ? null : exactNumber(cost) };
}
