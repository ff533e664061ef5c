import { IsDefined, IsIn, IsString, ValidateIf } from 'class-validator';
import { CharacterCount, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { FEEDBACK_RATINGS, type FeedbackRating } from '../conversations/message.entity';

/** What the user thinks of a reply. */
export class MessageFeedbackDto extends LanguageBodyDto {
  /** `like`, `dislike`, or null to take the rating back. @example like */
  @ValidateIf((_body, value) => value !== null)
  @IsIn(FEEDBACK_RATINGS)
  @IsDefined()
  rating: FeedbackRating | null;

  /** Why, in up to 2,000 characters. @example "Exactly what I needed." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 2000)
  comment?: string | null;
}
