import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { InvalidJsonError } from '../../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { leaveUnread } from '../../../../common/http/body/request-body';

/** The body of a refusal, for the API document. */
export const NO_LOGOUT_TOKEN_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', enum: ['invalid_request'], description: 'Error code from the standard.' } },
};

/** A body that cannot be parsed has no logout token, so it gets the same response as an invalid one. */
@Catch(InvalidJsonError, ValidationFailedError)
export class NoLogoutTokenFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    leaveUnread(http.getRequest<Request>(), response);
    refuseLogoutToken(response);
  }
}

/** The response that the standard requires (OpenID Connect Back-Channel Logout 1.0 §2.8). */
export function refuseLogoutToken(response: Response): void {
  response.status(400).setHeader('Cache-Control', 'no-store').json({ error: 'invalid_request' });
}
