import { WholeNumber } from '../../../config/environment-rules';

/** How much this instance reads, and how much a collection may contain. */
export class IngestionConfig {
  /** Files that this instance reads at once; 0: none. */
  @WholeNumber(0, 64)
  KNOWLEDGE_INGESTIONS = 2;

  /** Passages in a collection. */
  @WholeNumber(1, 100_000_000)
  KNOWLEDGE_PASSAGES = 1_000_000;
}
