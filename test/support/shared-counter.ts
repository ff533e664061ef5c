import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';

/** Outlives the test files of a worker, which load this module again. */
declare global {
  var sharedCounter: TokenCounter | undefined;
}

/** A machine that stalls for seconds must not turn a token count into an estimate. */
const PATIENCE_MILLISECONDS = 30_000;

/**
 * Makes an instance count its tokens in the thread that all instances of this worker share: loading the tokenizer takes
 * as much processor time as the rest of a start.
 */
export function shareCounter(counter: TokenCounter): void {
  const shared = (globalThis.sharedCounter ??= new TokenCounter());
  shared.answerTimeout = PATIENCE_MILLISECONDS;
  counter.countedAll = (texts) => shared.countedAll(texts);
}
