import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import { DeviceTokens } from '../../auth/auth.api';
import { DeviceCodes } from '../codes/device-codes';

/** RFC 8628 §3.4. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export const REFRESH_GRANT = 'refresh_token';

/**
 * For the rate limit: a refresh counts against its session. A poll with a valid code is limited by its interval only.
 * Everything else counts against the address.
 */
@Injectable()
export class TokenRequests implements SessionFinder {
  constructor(
    private readonly codes: DeviceCodes,
    private readonly tokens: DeviceTokens,
  ) {}

  async sessionOf({ body }: Request): Promise<string | null | false> {
    const { grant_type, device_code, refresh_token } = (body ?? {}) as Record<string, unknown>;
    if (grant_type === DEVICE_GRANT && typeof device_code === 'string') {
      return (await this.codes.isActive(device_code)) ? false : null;
    }
    return grant_type === REFRESH_GRANT && typeof refresh_token === 'string'
      ? this.tokens.familyOf(refresh_token)
      : null;
  }
}
