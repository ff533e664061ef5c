import { IsIn } from 'class-validator';
import { WholeNumber } from '../../config/environment-rules';

export const MEBIBYTE = 1_048_576;

/** Limits of files and collections. */
export class KnowledgeConfig {
  /** The largest file, in MiB. */
  @WholeNumber(1, 512)
  FILE_MAX_MB = 20;

  /** Collections that a user may own. */
  @WholeNumber(0, 100_000)
  KNOWLEDGE_PER_USER = 100;

  /** Files in a collection. */
  @WholeNumber(1, 1_000_000)
  KNOWLEDGE_FILES = 10_000;

  /** Who may create collections: `everyone`, users with a `paid` plan, or `admins`. */
  @IsIn(['everyone', 'paid', 'admins'], { message: '$property must be everyone, paid or admins' })
  KNOWLEDGE_CREATE: 'everyone' | 'paid' | 'admins' = 'everyone';
}
