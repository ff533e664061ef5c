import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { RecentRepliesQuery, type RecentReply } from '../../usage/usage.api';
import { FIRST_GENERATION_ID } from '../generation.entity';

/** Maximum number of messages inspected per table. */
const MOST_MESSAGES = 10_000;

/** Maximum number of models returned, those with the most replies. */
const MOST_MODELS = 100;

/** Recent replies of a model. */
export interface ModelRecord {
  model: string;
  replies: number;
  failed: number;
  /** Milliseconds. Null: no reply had a first token. */
  p50: number | null;
  p95: number | null;
}

/** The reliability of models: their failure rate, and the time to their first token. */
@Injectable()
export class ModelReliability {
  constructor(
    private readonly recent: RecentRepliesQuery,
    private readonly clock: Clock,
  ) {}

  /**
   * Replies of the last `hours`, at most those of the newest 10,000 messages per table. Models with the most replies
   * first.
   */
  async of(hours: number): Promise<ModelRecord[]> {
    const since = new Date(this.clock.now().getTime() - hours * HOUR_MILLISECONDS);
    const found = await Promise.all([
      this.recent.newest({ from: 1, below: FIRST_GENERATION_ID }, since, MOST_MESSAGES),
      this.recent.newest({ from: FIRST_GENERATION_ID, below: 2 * FIRST_GENERATION_ID }, since, MOST_MESSAGES),
    ]);
    const byModel = new Map<string, RecentReply[]>();
    for (const reply of found.flat()) {
      const others = byModel.get(reply.model);
      if (others === undefined) {
        byModel.set(reply.model, [reply]);
      } else {
        others.push(reply);
      }
    }
    return [...byModel]
      .map(([model, replies]) => recordOf(model, replies))
      .sort((one, other) => other.replies - one.replies || (one.model < other.model ? -1 : 1))
      .slice(0, MOST_MODELS);
  }
}

function recordOf(model: string, replies: readonly RecentReply[]): ModelRecord {
  const times = replies.flatMap(({ firstTokenMs }) => firstTokenMs ?? []).sort((one, other) => one - other);
  const failed = replies.filter(({ status }) => status === 'failed').length;
  return { model, replies: replies.length, failed, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

/** The percentile of ascending values (nearest rank). */
function percentile(times: readonly number[], share: number): number | null {
  return times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? null;
}
