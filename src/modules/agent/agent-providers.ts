import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../common/errors/validation.errors';
import { LanguageModels } from '../../integrations/llm/language-models';

/** Which model providers agents may name. */
@Injectable()
export class AgentProviders {
  constructor(private readonly languageModels: LanguageModels) {}

  /**
   * @param field path of the field in the body
   * @throws ValidationFailedError when there is no provider of that name; one that is not configured yet is allowed.
   */
  assertKnown(provider: string | null | undefined, field = 'provider'): void {
    const isKnown = this.languageModels.describe().some((description) => description.provider === provider);
    if (provider !== undefined && provider !== null && !isKnown) {
      throw ValidationFailedError.of(field, 'not_offered');
    }
  }
}
