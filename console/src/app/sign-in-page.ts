import type { SignInPageDto } from 'chat-service-client';
import { api } from './api';
import { showBranding } from './branding';

/** Loads the data of the sign-in page: first together with the page, then for each later visit. */
export class SignInPage {
  private first: Promise<SignInPageDto> | null = null;

  /** Starts the request before the page renders. The page shows a failure. */
  async begin(): Promise<void> {
    this.first = this.load();
    await this.first.catch(() => undefined);
  }

  /** @throws ApiError, ConnectionError */
  read(): Promise<SignInPageDto> {
    const reading = this.first ?? this.load();
    this.first = null;
    return reading;
  }

  private async load(): Promise<SignInPageDto> {
    const found = await api.bootstrap.signIn();
    showBranding(found.branding);
    return found;
  }
}
