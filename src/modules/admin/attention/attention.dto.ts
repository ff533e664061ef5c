import { ApiProperty } from '@nestjs/swagger';
import { ATTENTION_KINDS, type AttentionItem, type AttentionKind } from '../../../common/attention/attention';

/** Something that an administrator should look at. */
export class AttentionItemDto {
  /** What it is; clients must expect further kinds. @example "webhook_failing" */
  @ApiProperty({ enum: ATTENTION_KINDS })
  kind: AttentionKind;

  /** Since when, as far as is known. @example "2026-01-31T09:30:00.000Z" */
  since: string | null;

  /**
   * How many: failures of a webhook, model or tool, percent of a budget, hard budgets that refuse a model without a price, days of
   * a backup; else 1. @example 12
   */
  count: number;

  /** Which one: the id of a webhook or budget, the name of a provider or tool, `provider:model`; null: there is only one. @example "3" */
  target: string | null;
}

export function toAttentionItemDto({ kind, since, count, target }: AttentionItem): AttentionItemDto {
  return { kind, since: since?.toISOString() ?? null, count, target };
}
