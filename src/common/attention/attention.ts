import { Injectable } from '@nestjs/common';

/** Clients have a sentence for each kind. */
export const ATTENTION_KINDS = [
  'database_read_only',
  'backup_old',
  'mail_down',
  'provider_key_refused',
  'provider_failing',
  'model_failing',
  'tool_failing',
  'webhook_failing',
  'webhook_disabled',
  'model_unpriced',
  'budget_nearly_used',
  'knowledge_failed',
  'embeddings_failing',
  'hold_ending',
  'instances_differ',
  'guard_failing',
  'retention_paused',
  'retention_behind',
] as const;

export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Something that an administrator should look at. */
export interface AttentionItem {
  kind: AttentionKind;
  /** Null if unknown. */
  since: Date | null;
  /**
   * How many items of the kind: failures, percent of a budget, hard budgets that refuse a model, days since a backup,
   * different versions or settings.
   */
  count: number;
  /** Id or name of the item; null if only one can exist. */
  target: string | null;
}

type Source = () => AttentionItem[] | Promise<AttentionItem[]>;

/**
 * Collects what needs an administrator's attention. Modules that detect such things add a source when the service
 * starts.
 */
@Injectable()
export class Attention {
  private readonly sources: Source[] = [];

  /** @param source answers quickly, from memory or by an index */
  add(source: Source): void {
    this.sources.push(source);
  }

  /** Sorted by kind, in the order of `ATTENTION_KINDS`; within a kind, the oldest first. */
  async items(): Promise<AttentionItem[]> {
    const found = (await Promise.all(this.sources.map(async (source) => source()))).flat();
    const order = (kind: AttentionKind): number => ATTENTION_KINDS.indexOf(kind);
    const began = (since: Date | null): number => since?.getTime() ?? Infinity;
    return found.sort(
      (one, other) => order(one.kind) - order(other.kind) || compare(began(one.since), began(other.since)),
    );
  }
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
