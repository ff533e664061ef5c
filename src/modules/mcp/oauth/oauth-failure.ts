import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';

/** Codes after which a retry may succeed. */
const TEMPORARY: readonly string[] = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down'];

/** A refusal by an authorization server. Only its code (RFC 6749 section 5.2) is kept, not its text. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';

  constructor(readonly code: string) {
    super(`The authorization server refused: ${code}.`);
  }
}

/**
 * Runs a step of OAuth.
 *
 * @throws McpFailure, OAuthRefusal, without text from the server
 */
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
