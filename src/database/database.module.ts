import { DynamicModule } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { Feature } from '../common/features/feature.decorator';
import { Features } from '../common/features/features';
import { Tracing } from '../common/tracing/tracing';
import { BackgroundWork } from './background-work';
import { connectionSettings } from './connection/connection-settings';
import { dataSourceOptions } from './connection/data-source-options';
import { DatabaseMetrics } from './connection/database-metrics';
import { ServiceDataSource } from './connection/service-data-source';
import { StatementSpans } from './connection/statement-spans';
import { Database } from './database';
import { DatabaseConfig } from './database.config';
import { PolledValues } from './polled-values';
import { SharedClock } from './shared-clock';
import { traceStatements } from './statements/run-statement';
import { Writability } from './writability';

/** Provides `Database` to every module. Entities register themselves with `TypeOrmModule.forFeature`. */
@Feature({
  configuration: [DatabaseConfig],
})
export class DatabaseModule {
  static forRoot(): DynamicModule {
    const typeorm = TypeOrmModule.forRootAsync({
      inject: [DatabaseConfig, Features],
      // The database may start later than the service, so `Database` opens the connection and retries.
      useFactory: (config: DatabaseConfig, features: Features) => ({
        ...dataSourceOptions(connectionSettings(config.DATABASE_URL), [], features.all('migrations')),
        autoLoadEntities: true,
        manualInitialization: true,
      }),
      dataSourceFactory: (options) => Promise.resolve(new ServiceDataSource(options as DataSourceOptions)),
    });
    const database = {
      provide: Database,
      inject: [getDataSourceToken(), DatabaseConfig, Tracing],
      useFactory: (dataSource: ServiceDataSource, config: DatabaseConfig, tracing: Tracing) => {
        const settings = connectionSettings(config.DATABASE_URL);
        if (tracing.includesDatabase) {
          const spans = new StatementSpans(tracing, settings.dialect);
          spans.watch(dataSource);
          traceStatements(spans);
        }
        return new Database(dataSource, settings, {
          migrates: config.MIGRATE,
          allowsNewer: config.ALLOW_NEWER_SCHEMA,
        });
      },
    };
    const shared = [database, BackgroundWork, SharedClock, PolledValues, Writability];
    const providers = [...shared, DatabaseMetrics];
    return { module: DatabaseModule, global: true, imports: [typeorm], providers, exports: shared };
  }
}
