import { LanguageField } from './fields';

/** Every body may name the language of the answer. */
export class LanguageBodyDto {
  @LanguageField()
  lang?: string | null;
}
