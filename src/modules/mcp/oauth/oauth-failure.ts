import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';

/** Codes after which the same may succeed later. */
const TEMPORARY: readonly string[] = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down'];

/** An authorization server said no. Its code (RFC 6749 §5.2) is all that is kept of its words. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';

  constructor(readonly code: string) {
    super(`The authorization server refused: ${code}.`);
  }
}

/** Does a step of OAuth. @throws McpFailure, OAuthRefusal, never with words of the server */
export async function oauthStep<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpFailure || error instanceof OAuthRefusal) {
      throw error;
    }
    const { OAuthError } = loadMcpSdk();
    if (!(error instanceof OAuthError)) {
      throw new McpFailure('authorization', true);
    }
    throw TEMPORARY.includes(error.code) ? new McpFailure('failed', false) : new OAuthRefusal(plainCode(error.code));
  }
}

function plainCode(code: string): string {
  return /^[a-z_]{1,64}$/.test(code) ? code : 'other';
}
