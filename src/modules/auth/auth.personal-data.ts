import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { KnownClientEntity } from './clients/known-client.entity';
import { InvitationEntity } from './invitations/invitation.entity';

/** The personal data of this module: the clients that signed in, without their hashes, and the invitation. */
@Injectable()
export class AuthPersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'known_clients',
      entities: [KnownClientEntity],
      rows: (userId) =>
        registry.read(KnownClientEntity, userId, ({ id, kind, signedInAt }) => ({
          id,
          kind,
          signed_in_at: signedInAt.toISOString(),
        })),
      erase: (userId) => registry.delete(KnownClientEntity, userId),
    });
    registry.register({
      name: 'invitations',
      entities: [InvitationEntity],
      rows: (userId) =>
        registry.read(InvitationEntity, userId, ({ id, email, usedAt }) => ({
          id,
          email,
          used_at: usedAt?.toISOString() ?? null,
        })),
      erase: (userId) => registry.delete(InvitationEntity, userId),
    });
  }
}
