import { ApiProperty } from '@nestjs/swagger';
import { type Language, LANGUAGES } from '../../../common/i18n/language';

/** How an installation shows itself. */
export class BrandingDto {
  /** What it calls itself. @example "Acme Assistant" */
  name: string;

  /** Its picture, as a data URL of a PNG, JPEG, GIF or WebP; null: none. @example "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" */
  logo: string | null;

  /** The colour of its buttons and links, as `#rrggbb`; null: that of the software. @example "#0a6e5c" */
  colour: string | null;

  /** What people read who come; null: nothing. @example "Ask anything about our products." */
  welcome: string | null;

  /** Where its terms stand; null: it has none. @example "https://example.com/terms" */
  terms_url: string | null;

  /** The languages of its pages; the first one is for those who want none of them. @example ["en", "de"] */
  @ApiProperty({ enum: LANGUAGES, isArray: true })
  languages: Language[];
}
