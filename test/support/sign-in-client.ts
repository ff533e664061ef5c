import type { CodePurpose } from '../../src/modules/auth/codes/verification-code.entity';
import { type TestAccount } from './accounts';
import { BrowserClient } from './browser-client';
import { type Answer } from './http';
import type { TestApp } from './test-app';

/** A code different from this one; each `step` returns another code. */
export function wrongCode(code: string, step = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, '0');
}

/** A client at a network address that tries to break into accounts, with a browser or without one. */
export class SignInClient {
  private readonly browser: BrowserClient;

  /** @param app one with `TRUST_PROXY: '1'` */
  constructor(
    private readonly app: TestApp,
    readonly address: string,
    private readonly hasCookies = true,
  ) {
    this.browser = new BrowserClient(app.url, { 'x-forwarded-for': address });
  }

  get device(): string {
    return this.browser.device;
  }

  /** The same browser at another address. */
  at(address: string): SignInClient {
    const moved = new SignInClient(this.app, address, this.hasCookies);
    this.browser.cookies.forEach((value, name) => moved.browser.cookies.set(name, value));
    return moved;
  }

  /** Sets the device cookie to this value. */
  takeDevice(value: string): this {
    this.browser.cookies.set('device', value);
    return this;
  }

  logIn(email: string, password: string): Promise<Answer> {
    return this.post('/auth/login', { email, password });
  }

  verify(email: string, code: string): Promise<Answer> {
    return this.post('/auth/verify', { email, code });
  }

  reset(email: string, code: string, password: string): Promise<Answer> {
    return this.post('/auth/reset_password', { email, code, new_password: password });
  }

  send(email: string, purpose: CodePurpose): Promise<Answer> {
    return this.post('/auth/send_code', { email, purpose });
  }

  /** Requests a code and reads it from the mail. */
  async receive({ email }: Pick<TestAccount, 'email'>, purpose: CodePurpose): Promise<string> {
    const answer = await this.send(email, purpose);
    if (answer.status !== 200) {
      throw new Error(`send_code answered ${answer.status}: ${answer.text}`);
    }
    return codeFromMail(this.app, email);
  }

  async post(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
    const answer = await this.browser.post(path, body, headers);
    if (!this.hasCookies) {
      this.browser.cookies.clear();
    }
    return answer;
  }
}

/** The code in the oldest mail that no test has read yet. */
export async function codeFromMail(app: TestApp, email: string): Promise<string> {
  const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
  return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
}
