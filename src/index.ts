import 'reflect-metadata';

/** What a program that has the service as a package begins with. `package.json` names the other paths (`exports`). */
export { Feature } from './common/features/feature.decorator';
export { FeatureError } from './common/features/feature.error';
export type { FeatureFacts, FeatureMetadata } from './common/features/feature-facts';
export { OperatorError } from './config/operator.error';
export { migrateService } from './migrate-service';
export { endWithReason, type ServiceOptions, startService } from './start-service';
