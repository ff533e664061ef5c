import { ApiProperty } from '@nestjs/swagger';
import { type Language, LANGUAGES } from '../../../common/i18n/language';

/** Branding of the installation. */
export class BrandingDto {
  /** Name of the installation. @example "Acme Assistant" */
  name: string;

  /**
   * Logo, as a data URL of a PNG, JPEG, GIF or WebP. Null if there is none.
   * @example "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
   */
  logo: string | null;

  /** Colour of buttons and links, as `#rrggbb`. Null for the software's colour. @example "#0a6e5c" */
  colour: string | null;

  /** Welcome text. Null if there is none. @example "Ask anything about our products." */
  welcome: string | null;

  /** Address of the terms of use. Null if there is none. @example "https://example.com/terms" */
  terms_url: string | null;

  /** Languages of the pages. The first one is for users who prefer none of them. @example ["en", "de"] */
  @ApiProperty({ enum: LANGUAGES, isArray: true })
  languages: Language[];
}
