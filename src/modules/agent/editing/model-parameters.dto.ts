import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNumber, IsString, Max, Min } from 'class-validator';
import { CharacterCount, FieldRule, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';

const MOST_STOPS = 4;

const STOP_TEXT = { type: 'string', minLength: 1, maxLength: 100 };

/** Sampling settings. A provider gets only those that it supports. */
@ObjectExample({ temperature: 0.7, max_tokens: 1024 })
export class ModelParametersDto implements ModelParameters {
  /** Randomness of the reply: 0 always picks the most likely token. @example 0.7 */
  @OptionalField()
  @IsNumber()
  @Min(0)
  @Max(2)
  @ApiPropertyOptional({ format: 'double' })
  temperature?: number;

  /** Tokens are sampled from the most likely ones with this total probability. @example 0.9 */
  @OptionalField()
  @IsNumber()
  @Min(0)
  @Max(1)
  @ApiPropertyOptional({ format: 'double' })
  top_p?: number;

  /** Tokens are sampled from this many of the most likely ones. @example 40 */
  @OptionalField()
  @IsInt()
  @Min(1)
  @Max(1_000)
  top_k?: number;

  /** Most tokens of a reply. @example 1024 */
  @OptionalField()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  max_tokens?: number;

  /** Most tokens of a reply, under the name that newer models use. @example 1024 */
  @OptionalField()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  max_completion_tokens?: number;

  /** Text at which the reply ends: one, or up to four, of 1 to 100 characters. @example ["END"] */
  @OptionalField()
  @FieldRule('invalid_format', isStop)
  @ApiPropertyOptional({ oneOf: [STOP_TEXT, { type: 'array', items: STOP_TEXT, minItems: 1, maxItems: MOST_STOPS }] })
  stop?: string | string[];

  /** The same seed makes the same reply more likely. @example 7 */
  @OptionalField()
  @IsInt()
  seed?: number;

  /** Positive values favour new words, negative ones words that were used already. @example 0 */
  @OptionalField()
  @IsNumber()
  @Min(-2)
  @Max(2)
  @ApiPropertyOptional({ format: 'double' })
  presence_penalty?: number;

  /** Positive values avoid repetitions, of frequent words more than of others. @example 0 */
  @OptionalField()
  @IsNumber()
  @Min(-2)
  @Max(2)
  @ApiPropertyOptional({ format: 'double' })
  frequency_penalty?: number;

  /** How much reasoning models think, in the provider's terms. @example low */
  @OptionalField()
  @IsString()
  @CharacterCount(1, 32)
  reasoning_effort?: string;
}

function isStop(value: unknown): boolean {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return (
    texts.length >= 1 &&
    texts.length <= MOST_STOPS &&
    texts.every((text) => typeof text === 'string' && text.length >= 1 && text.length <= STOP_TEXT.maxLength)
  );
}
