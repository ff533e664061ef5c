import { WholeNumber } from '../../../config/environment-rules';

/** Memory for request bodies. */
export class BodyConfig {
  /** MiB that all bodies in progress may hold together. The smallest value has room for one body with files. */
  @WholeNumber(32)
  BODY_MEMORY_MB = 256;
}
