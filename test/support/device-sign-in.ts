import type { DeviceRequestDto } from '../../src/modules/device/approval/device-approval.dto';
import type { DeviceAuthorizationDto, DeviceTokenDto } from '../../src/modules/device/oauth/oauth.dto';
import { type Answer, call } from './http';
import type { TestApp } from './test-app';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The body of an error of RFC 6749. */
export interface OAuthFailure {
  error: string;
  error_description: string;
}

/** A command-line program that signs in, and its user at the page. */
export class DeviceSignIn {
  constructor(
    private readonly app: Pick<TestApp, 'url' | 'origin'>,
    /** Empty, or the base of the Anthropic-compatible API. */
    private readonly base = '',
  ) {}

  post<Body = OAuthFailure>(path: string, form: Record<string, string> | string): Promise<Answer<Body>> {
    return call<Body>(`${this.app.origin}${this.base}/oauth/${path}`, {
      method: 'POST',
      raw: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'a program' },
    });
  }

  async start(form: Record<string, string> = {}): Promise<DeviceAuthorizationDto> {
    const { status, body, text } = await this.post<DeviceAuthorizationDto>('device_authorization', form);
    if (status !== 200) throw new Error(`device_authorization answered ${status}: ${text}`);
    return body;
  }

  poll(deviceCode: string): Promise<Answer<OAuthFailure & DeviceTokenDto>> {
    return this.post('token', { grant_type: DEVICE_GRANT, device_code: deviceCode });
  }

  refresh(refreshToken: string): Promise<Answer<OAuthFailure & DeviceTokenDto>> {
    return this.post('token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  lookUp(token: string, user_code: string, headers: Record<string, string> = {}): Promise<Answer<DeviceRequestDto>> {
    return call(`${this.app.url}/auth/device/lookup`, { token, body: { user_code }, headers });
  }

  decide(
    token: string,
    user_code: string,
    decision = 'approve',
    headers: Record<string, string> = {},
  ): Promise<Answer<{ success: boolean; message: string }>> {
    return call(`${this.app.url}/auth/device/decide`, { token, body: { user_code, decision }, headers });
  }

  /** Starts a sign-in, which the user of this token approves. */
  async approved(token: string, form: Record<string, string> = {}): Promise<DeviceAuthorizationDto> {
    const codes = await this.start(form);
    await this.lookUp(token, codes.user_code);
    const { status, text } = await this.decide(token, codes.user_code);
    if (status !== 200) throw new Error(`decide answered ${status}: ${text}`);
    return codes;
  }

  /** Signs a program in. */
  async signIn(token: string, form: Record<string, string> = {}): Promise<DeviceTokenDto> {
    const { device_code } = await this.approved(token, form);
    const { status, body, text } = await this.poll(device_code);
    if (status !== 200) throw new Error(`token answered ${status}: ${text}`);
    return body;
  }
}
