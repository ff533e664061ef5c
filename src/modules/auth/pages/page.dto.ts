import { IsDefined, IsString } from 'class-validator';
import { MaxLength } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** A page of a feature, which the console shows in a frame. */
export class FeaturePageDto {
  /** The path of the page below `/api/v1`, which identifies it. @example "bookmarks/page" */
  path: string;

  /** The title in the language of the caller. @example "Bookmarks" */
  title: string;

  /** The name of an icon of the console. @example "tag" */
  icon: string;
}

/** The page for which a token is needed. */
export class CreatePageTokenDto extends LanguageBodyDto {
  /** The path of the page. @example "bookmarks/page" */
  @IsDefined()
  @MaxLength(200)
  @IsString()
  path: string;
}

/** A token for the page of a feature. */
export class PageTokenDto {
  /**
   * Opens only the routes of the feature, as `Authorization: Bearer`, until it expires or the session ends.
   * @example "pt_eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJwYWdlIjoiYm9va21hcmtzIn0.c2lnbmF0dXJl"
   */
  token: string;

  /** When it expires: ten minutes from now. @example "2026-01-31T09:40:00.000Z" */
  expires_at: string;
}
