import { DynamicModule, Inject, Module, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, ModulesContainer } from '@nestjs/core';
import { CommonModule } from './common/common.module';
import { ErrorEnvelopeFilter } from './common/errors/error-envelope.filter';
import { checkRoutes } from './common/features/check-routes';
import { Features, type ImportedModule } from './common/features/features';
import { FeaturesModule } from './common/features/features.module';
import { BodyGuard } from './common/http/body/body.guard';
import { UnknownRouteModule } from './common/http/method-not-allowed/unknown-route.module';
import { Lifecycle } from './common/lifecycle';
import { LoggingModule } from './common/logging/logging.module';
import { HomeModule } from './common/pages/home.module';
import { RateLimitGuard } from './common/rate-limit/rate-limit.guard';
import { RateLimitModule } from './common/rate-limit/rate-limit.module';
import { RedisModule } from './common/redis/redis.module';
import { AccessGuard } from './common/security/access.guard';
import { IdentityGuard } from './common/security/identity.guard';
import { Scopes } from './common/security/scopes';
import { ServiceSecretModule } from './common/security/service-secret.module';
import { TracingModule } from './common/tracing/tracing.module';
import { RequestValidationPipe } from './common/validation/request-validation.pipe';
import { ConfigurationModule } from './config/configuration.module';
import { EnvironmentVariables } from './config/load-configuration';
import { ConsoleFiles } from './console-files/serve-console';
import { DatabaseModule } from './database/database.module';
import { AdminModule } from './modules/admin/admin.module';
import { AgentModule } from './modules/agent/agent.module';
import { AnthropicModule } from './modules/anthropic/anthropic.module';
import { ApiKeyModule } from './modules/api-key/api-key.module';
import { AuthModule } from './modules/auth/auth.module';
import { BootstrapModule } from './modules/bootstrap/bootstrap.module';
import { BudgetModule } from './modules/budget/budget.module';
import { ChatModule } from './modules/chat/chat.module';
import { DeviceModule } from './modules/device/device.module';
import { EventFeedModule } from './modules/event-feed/event-feed.module';
import { GenerationModule } from './modules/generation/generation.module';
import { GroupModule } from './modules/group/group.module';
import { GuardModule } from './modules/guard/guard.module';
import { HealthModule } from './modules/health/health.module';
import { HoldModule } from './modules/hold/hold.module';
import { HoldAdministrationModule } from './modules/hold-administration/hold-administration.module';
import { IdentityModule } from './modules/identity/identity.module';
import { KnowledgeModule } from './modules/knowledge/knowledge.module';
import { McpModule } from './modules/mcp/mcp.module';
import { OpenAiModule } from './modules/openai/openai.module';
import { OperationModule } from './modules/operation/operation.module';
import { PricingModule } from './modules/pricing/pricing.module';
import { RetentionModule } from './modules/retention/retention.module';
import { ScimModule } from './modules/scim/scim.module';
import { ShareModule } from './modules/share/share.module';
import { ToolModule } from './modules/tool/tool.module';
import { UsageModule } from './modules/usage/usage.module';
import { UserModule } from './modules/user/user.module';
import { WebhookModule } from './modules/webhook/webhook.module';
import { FeatureReview, OWN_MODULES } from './process/feature-review';
import { SHOWN_ORDER } from './shown-order';

/** All modules, in the order in which their routes are matched. */
function modulesWith(added: readonly ImportedModule[]): ImportedModule[] {
  return [
    TracingModule,
    LoggingModule.forRoot(),
    DatabaseModule.forRoot(),
    CommonModule,
    ServiceSecretModule,
    RedisModule,
    RateLimitModule,
    HealthModule,
    HoldModule,
    UserModule,
    AuthModule,
    IdentityModule,
    DeviceModule,
    ApiKeyModule,
    PricingModule,
    UsageModule,
    BudgetModule,
    // Before ChatModule, because /chat/agents/active must match before /chat/{chat_id}.
    AgentModule,
    GroupModule,
    RetentionModule,
    ScimModule,
    GuardModule,
    GenerationModule,
    ChatModule,
    OpenAiModule,
    AnthropicModule,
    ShareModule,
    WebhookModule,
    EventFeedModule,
    ToolModule,
    McpModule,
    KnowledgeModule,
    AdminModule,
    OperationModule,
    HoldAdministrationModule,
    BootstrapModule,
    ...added,
    HomeModule,
    // Last, because it handles every request that no other route matches.
    UnknownRouteModule,
  ];
}

/** The declarations of the service's own modules and of the added features. */
export function featuresOf(added: readonly ImportedModule[] = []): Features {
  return Features.of(modulesWith(added), SHOWN_ORDER);
}

/** The root module. It lists the feature modules, and the guards and filters of every request in their order. */
@Module({})
export class AppModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly container: ModulesContainer,
    private readonly scopes: Scopes,
    @Inject(OWN_MODULES) private readonly own: ReadonlySet<unknown>,
  ) {}

  /**
   * @param added features that do not belong to the service
   * @throws ConfigurationError, FeatureError
   */
  static register(environment: EnvironmentVariables, added: readonly ImportedModule[] = []): DynamicModule {
    const features = featuresOf(added);
    return {
      module: AppModule,
      imports: [
        ConfigurationModule.forRoot(features.all('configuration'), environment),
        FeaturesModule.forRoot(features),
        ...modulesWith(added),
      ],
      providers: [
        // Guards run in this order: identity, rate limit, permission, content of the request. Nothing reads the body
        // before them.
        { provide: APP_GUARD, useClass: IdentityGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
        ConsoleFiles,
        { provide: OWN_MODULES, useValue: new Set([AppModule, ...featuresOf().classes]) },
        FeatureReview,
      ],
    };
  }

  /** @throws FeatureError */
  onModuleInit(): void {
    checkRoutes(this.container, this.scopes.all, this.own);
  }

  /** Nest calls this hook of the root module first. */
  onModuleDestroy(): Promise<void> {
    return this.lifecycle.drain();
  }
}
