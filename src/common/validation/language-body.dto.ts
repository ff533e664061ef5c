import { LanguageField } from './fields';

/** Every body may specify the language of the response. */
export class LanguageBodyDto {
  @LanguageField()
  lang?: string | null;
}
