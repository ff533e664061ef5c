import { WholeNumber } from '../../config/environment-rules';

/** How much the process that reads a file may take. */
export class DocumentParserConfig {
  /** Seconds in which a file must be read. */
  @WholeNumber(1, 3_600)
  KNOWLEDGE_PARSE_SECONDS = 60;

  /** Memory of the process, in MiB. */
  @WholeNumber(128, 65_536)
  KNOWLEDGE_PARSE_MEMORY_MB = 512;
}
