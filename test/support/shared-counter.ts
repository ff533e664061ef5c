import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';

/** Outlives the test files of a worker, which load this module anew. */
declare global {
  var sharedCounter: TokenCounter | undefined;
}

/** A machine that stands still for seconds must turn no count of tokens into an estimate. */
const PATIENCE_MILLISECONDS = 30_000;

/**
 * Has an instance count its tokens in the thread that all instances of this worker share: to load the tokenizer takes as much of
 * a processor as the rest of a start.
 */
export function shareCounter(counter: TokenCounter): void {
  const shared = (globalThis.sharedCounter ??= new TokenCounter());
  shared.answerTimeout = PATIENCE_MILLISECONDS;
  counter.countedAll = (texts) => shared.countedAll(texts);
}
