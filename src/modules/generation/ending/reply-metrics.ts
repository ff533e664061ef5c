import { counter, histogram } from '../../../common/metrics/metrics';
import type { ReplyStatus } from '../reply/reply-row';

const ended = counter('replies_ended_total', 'Replies that have ended, by how', ['outcome']);
const firstToken = histogram(
  'reply_first_token_seconds',
  'Time from the beginning of a reply to its first token of text or reasoning',
  [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
);
const duration = histogram(
  'reply_duration_seconds',
  'Time from the beginning of a reply to its end, by how it ended',
  [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 300, 600],
  ['outcome'],
);

/** Counts a reply whose end is stored; one that waits ends again, and its first token is counted then. Times are in milliseconds. */
export function countEnded(
  outcome: Exclude<ReplyStatus, 'streaming'>,
  { firstTokenMs, durationMs }: { firstTokenMs: number | null; durationMs: number | null },
): void {
  ended.inc({ outcome });
  if (firstTokenMs !== null && outcome !== 'requires_action') {
    firstToken.observe(firstTokenMs / 1_000);
  }
  if (durationMs !== null) {
    duration.observe({ outcome }, durationMs / 1_000);
  }
}
