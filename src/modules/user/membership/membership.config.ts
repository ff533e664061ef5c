import { IsIn, ValidateIf } from 'class-validator';
import { Rule } from '../../../config/environment-rules';
import { RunMode } from '../../../config/run-mode';

const UPGRADE_MODES = ['open', 'verified', 'admin_only'] as const;

export type UpgradeMode = (typeof UPGRADE_MODES)[number];

/** Who may upgrade an account to a paid plan. */
export class MembershipConfig extends RunMode {
  /**
   * `open`: anyone can call POST /user/upgrade without a proof; `verified`: the call needs the payment_token of a
   * confirmed payment; `admin_only`: only administrators can call it. Default: verified in production, otherwise open.
   */
  @ValidateIf((config: MembershipConfig) => config.UPGRADE_MODE !== null)
  @IsIn(UPGRADE_MODES, { message: '$property must be open, verified or admin_only' })
  UPGRADE_MODE: UpgradeMode | null = null;

  /** Secret shared with the payment backend, which signs payment tokens. If it is not set, no token is accepted. */
  @Rule<MembershipConfig>(
    ({ PAYMENT_TOKEN_SECRET }) => PAYMENT_TOKEN_SECRET === null || Buffer.byteLength(PAYMENT_TOKEN_SECRET) >= 32,
    'PAYMENT_TOKEN_SECRET must have at least 32 bytes; make one with: openssl rand -base64 48',
  )
  PAYMENT_TOKEN_SECRET: string | null = null;

  get upgradeMode(): UpgradeMode {
    return this.UPGRADE_MODE ?? (this.isProduction ? 'verified' : 'open');
  }
}
