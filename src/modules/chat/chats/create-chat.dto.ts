import { ArrayMaxSize, IsArray, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NoDuplicates, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** A new conversation with an agent. */
export class CreateChatDto extends LanguageBodyDto {
  /** Up to 200 characters; if absent or blank, generated from the first exchange. @example "Trip to Lisbon" */
  @NullableField()
  @IsString()
  @CharacterCount(0, 200)
  title?: string | null;

  /** The agent; absent: the default agent. @example 1 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  agent_id?: number | null;

  /** The collections that replies search, besides those of the agent; up to 10 that you may read. @example [] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(10)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  knowledge?: number[];
}
