/** What other modules may use of this one. */
export { ApiKeyModule } from './api-key.module';
export { ApiKeyQuery } from './keys/api-key.query';
