import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { UserModule } from '../user/user.api';
import { IdentityEntity } from './identities/identity.entity';
import { IdentityPersonalData } from './identity.personal-data';
import { MappedAccountEntity } from './mapping/mapped-account.entity';
import { IdentityProviderEntity } from './providers/identity-provider.entity';
import { LogoutTokenEntity } from './sign-in/logout-token.entity';
import { SignInEntity } from './sign-in/sign-in.entity';

/** Signing in with a provider of identities. */
@Feature({
  imports: [
    TypeOrmModule.forFeature([
      IdentityProviderEntity,
      IdentityEntity,
      MappedAccountEntity,
      SignInEntity,
      LogoutTokenEntity,
    ]),
    UserModule,
  ],
  providers: [IdentityPersonalData],
})
export class IdentityModule {}
