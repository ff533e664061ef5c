import { IsDefined, IsIn, IsString, ValidateIf } from 'class-validator';
import { CharacterCount, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { FEEDBACK_RATINGS, type FeedbackRating } from '../conversations/message.entity';

/** A rating of a reply. */
export class MessageFeedbackDto extends LanguageBodyDto {
  /** `like`, `dislike`, or null to remove the rating. @example like */
  @ValidateIf((_body, value) => value !== null)
  @IsIn(FEEDBACK_RATINGS)
  @IsDefined()
  rating: FeedbackRating | null;

  /** The reason, up to 2,000 characters. @example "Exactly what I needed." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 2000)
  comment?: string | null;
}
