import type { ScoredPassage } from '../../../integrations/passage-index/word-ranking';

/** How much each ranking counts. */
export interface SearchWeights {
  words: number;
  meaning: number;
}

/** Reciprocal rank fusion: a higher number makes the first ranks less different from the others. */
const RANK_CONSTANT = 60;

/**
 * Joins the rankings of a query. A passage counts by its ranks, and one that is first in both has the score 1. Passages
 * with equal scores have the same rank.
 */
export function fuseRankings(
  words: readonly ScoredPassage[],
  meaning: readonly ScoredPassage[],
  weights: SearchWeights,
): Map<number, number> {
  const scores = new Map<number, number>();
  const best = (weights.words + weights.meaning) / (RANK_CONSTANT + 1);
  for (const [ranking, weight] of [
    [words, weights.words],
    [meaning, weights.meaning],
  ] as const) {
    let rank = 0;
    ranking.forEach(({ passageId, score }, index) => {
      if (index === 0 || score !== ranking[index - 1]!.score) {
        rank = index + 1;
      }
      scores.set(passageId, (scores.get(passageId) ?? 0) + weight / (RANK_CONSTANT + rank) / best);
    });
  }
  return scores;
}

/** A passage that several queries find has its best score. */
export function joinQueries(queries: readonly ReadonlyMap<number, number>[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const found of queries) {
    for (const [passageId, score] of found) {
      scores.set(passageId, Math.max(score, scores.get(passageId) ?? 0));
    }
  }
  return scores;
}

/** A passage, with its place in the text of an entry. */
export interface PlacedPassage {
  entryId: number;
  start: number;
  end: number;
}

/** Without passages that overlap a better one of the same entry by half of their length or more. */
export function withoutOverlaps<Passage extends PlacedPassage>(bestFirst: readonly Passage[], most: number): Passage[] {
  const kept: Passage[] = [];
  for (const passage of bestFirst) {
    if (kept.length === most) {
      break;
    }
    const repeats = kept.some(
      (better) =>
        better.entryId === passage.entryId &&
        (Math.min(better.end, passage.end) - Math.max(better.start, passage.start)) * 2 >= passage.end - passage.start,
    );
    if (!repeats) {
      kept.push(passage);
    }
  }
  return kept;
}
