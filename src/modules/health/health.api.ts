/** The public API of this module. */
export { HealthModule } from './health.module';
export { HealthService } from './health.service';
