import { Feature } from '../../common/features/feature.decorator';
import { AllowedHosts } from '../../common/network/allowed-hosts';
import { NameResolver } from '../../common/network/name-resolver';
import { NetworkModule } from '../../common/network/network.module';
import { AppConfig } from '../../config/app.config';
import { OutboundHttpConfig } from './outbound-http.config';
import { OutboundHttpClient } from './outbound-http-client';
import { TargetGuard } from './target-guard';

const targetGuard = {
  provide: TargetGuard,
  inject: [AppConfig, OutboundHttpConfig, NameResolver],
  useFactory: ({ isProduction }: AppConfig, { WEBHOOK_ALLOWED_HOSTS }: OutboundHttpConfig, resolver: NameResolver) =>
    new TargetGuard(
      { isHttpsRequired: isProduction, allowedHosts: new AllowedHosts(WEBHOOK_ALLOWED_HOSTS ?? []) },
      resolver,
    ),
};

const outboundHttpClient = {
  provide: OutboundHttpClient,
  inject: [TargetGuard],
  useFactory: (guard: TargetGuard) => new OutboundHttpClient(guard),
};

/**
 * Requests to addresses that users chose, protected against server-side request forgery. Start with
 * `OutboundHttpClient`, which posts and downloads. `TargetGuard` decides which targets are allowed.
 */
@Feature({
  configuration: [OutboundHttpConfig],
  imports: [NetworkModule],
  providers: [targetGuard, outboundHttpClient],
  exports: [TargetGuard, OutboundHttpClient],
})
export class OutboundHttpModule {}
