import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A vector. */
export class EmbeddingDto {
  /** Always `embedding`. @example 'embedding' */
  object: 'embedding';

  /** Position of its input. @example 0 */
  index: number;

  /** Numbers, or their 32-bit floating-point form in Base64. */
  @ApiProperty({
    oneOf: [
      { type: 'array', items: { type: 'number', format: 'double' } },
      { type: 'string', format: 'byte' },
    ],
    example: [0.1, -0.2],
  })
  embedding: number[] | string;
}

/** Tokens of a request for vectors. */
export class EmbeddingUsageDto {
  /** Tokens of the input. @example 8 */
  prompt_tokens: number;

  /** The same. @example 8 */
  total_tokens: number;

  @ApiPropertyOptional({
    type: 'number',
    format: 'double',
    nullable: true,
    description: 'Exact cost in `COST_CURRENCY`; null if there is no price. Absent if costs are hidden.',
    example: 0.00000016,
  })
  cost?: number | null;
}

/** Vectors in the order of the input. */
export class EmbeddingListDto {
  /** Always `list`. @example 'list' */
  object: 'list';

  /** One for each input. */
  data: EmbeddingDto[];

  /** The model, as named in the request. @example 'text-embedding-3-small' */
  model: string;

  /** The token usage. */
  usage: EmbeddingUsageDto;
}
