import { DataSource } from 'typeorm';

/**
 * The data source that `Database` closes. The framework would do it before, by a hook of its own, while units of work may
 * still be under way; so its call does nothing.
 */
export class ServiceDataSource extends DataSource {
  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return super.destroy();
  }
}
