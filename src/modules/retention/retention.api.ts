/** The public interface of this module. */
export { type Expiry, RetentionDirectory } from './policies/retention-directory';
export { RetentionModule } from './retention.module';
export { type Removed, RetainedData, type RetainedRows } from './sweeping/retained-data';
