import { parentPort } from 'node:worker_threads';

/* The thread of `PatternMatcher`. This file imports nothing of the service. */

/** A text, and the expressions to look for. */
export interface PatternRequest {
  text: string;
  patterns: readonly string[];
}

/** The places of the matches of each expression. */
export type PatternReply = (readonly [start: number, end: number])[][];

parentPort?.on('message', ({ text, patterns }: PatternRequest) => {
  const reply: PatternReply = patterns.map((pattern) =>
    [...text.matchAll(new RegExp(pattern, 'gu'))]
      .filter(([found]) => found !== '')
      .map(({ 0: found, index }) => [index, index + found.length] as const),
  );
  parentPort?.postMessage(reply);
});
