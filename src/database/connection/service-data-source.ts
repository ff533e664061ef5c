import { DataSource } from 'typeorm';

/**
 * The data source that `Database` closes. The framework's own hook would close it too early, while units of work may
 * still run, so the framework's call does nothing.
 */
export class ServiceDataSource extends DataSource {
  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return super.destroy();
  }
}
