import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { MailModule } from '../../integrations/mail/mail.module';
import { AuthModule } from '../auth/auth.api';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { IdentityModule } from '../identity/identity.api';
import { UserModule } from '../user/user.api';
import { DiscoveryController } from './discovery/discovery.controller';
import { ScimGroupsController } from './groups/scim-groups.controller';
import { ScimGroupsService } from './groups/scim-groups.service';
import { PeopleController } from './people/people.controller';
import { PeopleQuery } from './people/people.query';
import { PeopleService } from './people/people.service';
import { PersonChanges } from './people/person-changes';
import { ScimUserEntity } from './people/scim-user.entity';
import { ADDRESS_CHANGED } from './scim.mails';
import { ScimPersonalData } from './scim.personal-data';
import { ScimDirectories } from './scim-directory';
import { SCIM_ERRORS } from './scim-error-dialect';
import { SCIM_PREFIX } from './scim-prefix';

/**
 * Lets the directory of a company create, suspend and close accounts, and manage groups, by SCIM 2.0 (RFC 7643, 7644).
 * docs/scim.md describes what directories can see and do.
 *
 * - `protocol/`: adapts the library, and handles requests that deviate from the standards.
 * - `people/` and `groups/`: the resources. `PersonChanges` and `ScimGroupsService` have the rules.
 * - `discovery/`: the service's description for directories.
 */
@Feature({
  folder: __dirname,
  apis: [{ prefix: SCIM_PREFIX, errors: SCIM_ERRORS }],
  scopes: ['scim'],
  mails: [ADDRESS_CHANGED],
  imports: [
    TypeOrmModule.forFeature([ScimUserEntity]),
    AuthModule,
    GroupModule,
    HoldModule,
    IdentityModule,
    MailModule,
    UserModule,
  ],
  controllers: [DiscoveryController, PeopleController, ScimGroupsController],
  providers: [PeopleQuery, PeopleService, PersonChanges, ScimDirectories, ScimGroupsService, ScimPersonalData],
})
export class ScimModule {}
