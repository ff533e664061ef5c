import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Language } from '../../../common/i18n/language';
import { translate } from '../../../common/i18n/translator';
import { DiscoveryDocuments, type ProviderDocument } from '../protocol/discovery-documents';
import { PROVIDER_FAULTS, type ProviderFault, ProviderFaultError } from '../protocol/provider-fault';
import { ProviderKeys } from '../protocol/provider-keys';
import { SKEW_SECONDS } from '../protocol/signed-tokens';
import type { IdentityProviderEntity } from './identity-provider.entity';
import type { IdentityProviderTestDto, ProviderFindingDto } from './provider-test.dto';

/** Tests a provider, for administrators who troubleshoot it. */
@Injectable()
export class ProviderTestService {
  constructor(
    private readonly directory: DiscoveryDocuments,
    private readonly keys: ProviderKeys,
    private readonly clock: Clock,
  ) {}

  async test(provider: IdentityProviderEntity, language: Language): Promise<IdentityProviderTestDto> {
    const say = (ok: boolean, key: string, values: Record<string, unknown> = {}): ProviderFindingDto => ({
      ok,
      message: translate(language, key, values),
    });
    const document = await this.tried(() => this.directory.read(provider));
    const keys = 'fault' in document ? document : await this.tried(() => this.keys.read(provider));
    return {
      discovery:
        'fault' in document ? say(false, PROVIDER_FAULTS[document.fault]) : say(true, 'messages.identity_discovery_ok'),
      keys:
        'fault' in keys
          ? say(false, PROVIDER_FAULTS[keys.fault])
          : say(true, 'messages.identity_keys_ok', { count: keys.found.jwks().keys.length }),
      clock: 'fault' in document ? say(false, 'messages.identity_clock_unknown') : this.compare(document.found, say),
      last_claims: this.describe(provider, say),
    };
  }

  private async tried<Found>(look: () => Promise<Found>): Promise<{ found: Found } | { fault: ProviderFault }> {
    try {
      return { found: await look() };
    } catch (error) {
      if (error instanceof ProviderFaultError) {
        return { fault: error.fault };
      }
      throw error;
    }
  }

  private compare({ providerTime }: ProviderDocument, say: Say): ProviderFindingDto {
    if (providerTime === null) {
      return say(true, 'messages.identity_clock_unknown');
    }
    const seconds = Math.round(Math.abs(providerTime - this.clock.now().getTime()) / 1_000);
    return seconds > SKEW_SECONDS
      ? say(false, 'messages.identity_clock_off', { seconds })
      : say(true, 'messages.identity_clock_ok', { seconds });
  }

  private describe({ lastClaims }: IdentityProviderEntity, say: Say): ProviderFindingDto {
    if (!lastClaims) {
      return say(true, 'messages.identity_claims_none');
    }
    const { at, names, found, groups, mapped } = lastClaims;
    return say(found.includes('email'), 'messages.identity_claims_seen', {
      at,
      names: listed(names),
      found: listed(found),
      groups: groups ?? '?',
      mapped: listed(mapped),
    });
  }
}

type Say = (ok: boolean, key: string, values?: Record<string, unknown>) => ProviderFindingDto;

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? '–' : texts.join(', ');
}
