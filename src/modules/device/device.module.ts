import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { MailModule } from '../../integrations/mail/mail.module';
import { AuthModule } from '../auth/auth.api';
import { IdentityModule } from '../identity/identity.api';
import { UserModule } from '../user/user.api';
import { DeviceApprovalController } from './approval/device-approval.controller';
import { DeviceApprovalService } from './approval/device-approval.service';
import { DeviceCodeEntity } from './codes/device-code.entity';
import { DeviceCodeRetention } from './codes/device-code.retention';
import { DeviceCodes } from './codes/device-codes';
import { DeviceConfig } from './device.config';
import { DEVICE_APPROVED } from './device.mails';
import { DevicePersonalData } from './device.personal-data';
import { DeviceLogin } from './device-login';
import { OAuthMetadataController } from './oauth/metadata.controller';
import { AnthropicOAuthController, OAuthController } from './oauth/oauth.controller';
import { OAUTH_ERRORS } from './oauth/oauth-errors';
import { OAUTH_PREFIXES } from './oauth/oauth-paths';
import { TokenRequests } from './oauth/token-requests';

/**
 * Sign-in of command-line programs by the OAuth device flow (RFC 8628). The sessions themselves are in the modules `user`
 * and `auth`.
 * - `codes`: the codes that a program and its user exchange
 * - `approval`: the user's decision
 * - `oauth`: the routes for programs
 */
@Feature({
  folder: __dirname,
  groups: { 'Command-line programs': 'Sign-in of command-line programs by the OAuth device flow.' },
  apis: OAUTH_PREFIXES.map((prefix) => ({ prefix, errors: OAUTH_ERRORS })),
  mails: [DEVICE_APPROVED],
  configuration: [DeviceConfig],
  imports: [TypeOrmModule.forFeature([DeviceCodeEntity]), MailModule, UserModule, AuthModule, IdentityModule],
  controllers: [DeviceApprovalController, OAuthController, AnthropicOAuthController, OAuthMetadataController],
  providers: [DeviceCodes, DeviceCodeRetention, DeviceLogin, DeviceApprovalService, DevicePersonalData, TokenRequests],
})
export class DeviceModule {}
