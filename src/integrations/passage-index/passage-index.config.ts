import { WholeNumber } from '../../config/environment-rules';

export class PassageIndexConfig {
  /** Vectors that are kept in memory, in MiB. A search reads the others from the database. */
  @WholeNumber(1, 1_048_576)
  KNOWLEDGE_MEMORY_MB = 256;
}
