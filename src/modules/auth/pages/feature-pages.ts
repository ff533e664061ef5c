import { Injectable } from '@nestjs/common';
import { Features } from '../../../common/features/features';
import type { Language } from '../../../common/i18n/language';
import { translate } from '../../../common/i18n/translator';
import type { Principal } from '../../../common/security/principal';
import { ScopeRequiredError } from '../../../common/security/security.errors';
import type { FeaturePageDto, PageTokenDto } from './page.dto';
import { PageNotFoundError } from './page.errors';
import { PageTokens } from './page-tokens';

/** The pages of features. The console lists them, and gives each its token. */
@Injectable()
export class FeaturePages {
  constructor(
    private readonly features: Features,
    private readonly tokens: PageTokens,
  ) {}

  list(language: Language): FeaturePageDto[] {
    return this.features.pages().map(({ path, title, icon }) => ({ path, title: translate(language, title), icon }));
  }

  /** @throws PageNotFoundError; ScopeRequiredError for an API key */
  issueToken({ userId, sessionId }: Principal, path: string): PageTokenDto {
    if (sessionId === null) {
      throw new ScopeRequiredError(null);
    }
    if (!this.features.pages().some((page) => page.path === path)) {
      throw new PageNotFoundError();
    }
    return this.tokens.issue(userId, sessionId, path);
  }
}
