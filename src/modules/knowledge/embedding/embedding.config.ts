import { IsOptional, Matches } from 'class-validator';
import { Rule, WholeNumber } from '../../../config/environment-rules';

export const FEWEST_DIMENSIONS = 8;
export const MOST_DIMENSIONS = 4_096;

/** The first embedding model. Administrators change it later. */
export class EmbeddingConfig {
  /** Name of the provider with the embedding model. */
  @IsOptional()
  @Matches(/^.{1,64}$/, { message: '$property must be the name of a provider' })
  @Rule<EmbeddingConfig>(
    ({ EMBEDDING_PROVIDER, EMBEDDING_MODEL }) => (EMBEDDING_PROVIDER === null) === (EMBEDDING_MODEL === null),
    'EMBEDDING_PROVIDER and EMBEDDING_MODEL must be set together',
  )
  EMBEDDING_PROVIDER: string | null = null;

  @IsOptional()
  @Matches(/^.{1,191}$/, { message: '$property must be the name of a model' })
  EMBEDDING_MODEL: string | null = null;

  /** Length of its vectors, for models that offer several; 0: the model's own. */
  @Rule<EmbeddingConfig>(
    ({ EMBEDDING_DIMENSIONS: dimensions }) => dimensions === 0 || dimensions >= FEWEST_DIMENSIONS,
    `$property must be ${FEWEST_DIMENSIONS} to ${MOST_DIMENSIONS}`,
  )
  @WholeNumber(0, MOST_DIMENSIONS)
  EMBEDDING_DIMENSIONS = 0;
}
