import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxLength, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import { FEWEST_DIMENSIONS, MOST_DIMENSIONS } from './embedding.config';

/** The embedding model for semantic search. */
@ObjectExample({ provider: 'openai', model: 'text-embedding-3-small', dimensions: 512 })
export class UpdateEmbeddingModelDto extends LanguageBodyDto {
  /** Name of the provider. @example 'openai' */
  @IsString()
  @NotBlank()
  @MaxLength(LONGEST_PROVIDER_NAME)
  provider: string;

  /** Name of the model at the provider. @example 'text-embedding-3-small' */
  @IsString()
  @NotBlank()
  @MaxLength(LONGEST_MODEL_NAME)
  model: string;

  /** Length of the vectors, for models that offer several; null: the model's own. @example 512 */
  @NullableField()
  @IsInt()
  @Min(FEWEST_DIMENSIONS)
  @Max(MOST_DIMENSIONS)
  dimensions?: number | null;

  /** Whether only the cost is calculated. @example false */
  @OptionalField()
  @IsBoolean()
  dry_run?: boolean;
}

/** How far the vectors of a new model are. */
export class EmbeddingBuildDto {
  /** Passages with vectors. @example 1200 */
  done: number;

  /** All passages. @example 5000 */
  total: number;
}

/** The embedding model. */
export class EmbeddingModelDto {
  /** Name of the provider; null: there is no model, and collections are searched by words. @example 'openai' */
  provider: string | null;

  /** Name of the model at the provider; null: there is no model. @example 'text-embedding-3-small' */
  model: string | null;

  /** Length of the vectors; null: not known yet. @example 512 */
  dimensions: number | null;

  /** The vectors that are being made for another model, or for this one if it is the first; null: none. */
  @ApiProperty({ type: EmbeddingBuildDto, nullable: true })
  building: EmbeddingBuildDto | null;
}

/** What a change of the embedding model costs. */
export class EmbeddingCostDto {
  /** Passages that need vectors. @example 5000 */
  passages: number;

  /** Their tokens; the same text of an owner counts once. @example 2100000 */
  tokens: number;

  /** The estimated cost; null: the model has no price. @example '0.042' */
  cost: string | null;
}
