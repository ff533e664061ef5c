import { ApiProperty } from '@nestjs/swagger';
import { ATTENTION_KINDS, type AttentionItem, type AttentionKind } from '../../../common/attention/attention';

/** A problem that needs an administrator's attention. */
export class AttentionItemDto {
  /** Type of the problem. Clients must accept further types. @example "webhook_failing" */
  @ApiProperty({ enum: ATTENTION_KINDS })
  kind: AttentionKind;

  /** When the problem started, if known. @example "2026-01-31T09:30:00.000Z" */
  since: string | null;

  /**
   * Failures of a webhook, model or tool, percentage of a budget, hard budgets that refuse a model without a price, or
   * age of a backup in days. Otherwise 1.
   * @example 12
   */
  count: number;

  /**
   * Id of a webhook; name of a provider, tool or budget (id if it has no name); or `provider:model`. Null if there is
   * only one.
   * @example "3"
   */
  target: string | null;
}

export function toAttentionItemDto({ kind, since, count, target }: AttentionItem): AttentionItemDto {
  return { kind, since: since?.toISOString() ?? null, count, target };
}
