import { LanguageField } from './fields';

/** Every body may say in which language to answer. */
export class LanguageBodyDto {
  @LanguageField()
  lang?: string | null;
}
