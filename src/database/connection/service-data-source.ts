import { DataSource } from 'typeorm';

/**
 * The data source that `Database` closes. The framework would close it too early with its own hook, while units of work
 * may still run. So the framework's call does nothing.
 */
export class ServiceDataSource extends DataSource {
  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return super.destroy();
  }
}
