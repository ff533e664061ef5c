import { Inject, Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { EntityMetadata } from 'typeorm';
import { fileOf } from '../common/features/feature.decorator';
import { Features } from '../common/features/features';
import { forgottenDefinitions } from '../common/features/forgotten-definitions';
import { Database } from '../database/database';
import { PersonalDataRegistry } from '../modules/user/user.api';

/** Injection token of the classes of the modules that belong to the service. */
export const OWN_MODULES = Symbol('OWN_MODULES');

/** Columns with the id of a user. */
const USER_ID = /(^|_)user_?id$/i;

/**
 * Reports at start what modules from outside of the service have forgotten: definitions that they do not name, texts, tables
 * and columns without a migration, and personal data that no export and no erasure would find. Everything else works without it, so
 * these are warnings.
 */
@Injectable()
export class FeatureReview implements OnModuleInit {
  private readonly logger = new Logger(FeatureReview.name);

  constructor(
    @Inject(OWN_MODULES) private readonly own: ReadonlySet<unknown>,
    private readonly features: Features,
    private readonly container: ModulesContainer,
    private readonly registry: PersonalDataRegistry,
    private readonly database: Database,
  ) {
    if ([...features.classes].some((module) => !own.has(module))) {
      database.onReady(() => this.reviewTables());
    }
  }

  async onModuleInit(): Promise<void> {
    this.report(await forgottenDefinitions(this.features, this.own));
  }

  private async reviewTables(): Promise<void> {
    const { dataSource } = this.database.manager;
    const covered = this.registry.sources.flatMap(({ entities }) => entities);
    const runner = dataSource.createQueryRunner();
    try {
      for (const entity of dataSource.entityMetadatas) {
        const owner = this.ownerOf(entity);
        if (owner !== undefined) {
          const table = await runner.getTable(entity.tableName);
          const columns = table?.columns.map(({ name }) => name) ?? null;
          this.report(faultsOf(entity, owner, { columns, isCovered: covered.includes(entity.target as Type<object>) }));
        }
      }
    } finally {
      await runner.release();
    }
  }

  /** The module, outside of the service, that has registered an entity. */
  private ownerOf({ target }: EntityMetadata): Type<object> | undefined {
    if (typeof target !== 'function') {
      return undefined;
    }
    const token = getRepositoryToken(target);
    for (const { metatype, imports } of this.container.values()) {
      const isAdded = !this.own.has(metatype) && fileOf(metatype) !== undefined;
      if (isAdded && [...imports].some((one) => one.metatype === TypeOrmModule && one.providers.has(token))) {
        return metatype as Type<object>;
      }
    }
    return undefined;
  }

  private report(faults: readonly string[]): void {
    faults.forEach((fault) => this.logger.warn(fault));
  }
}

/** @param state `columns`: the names in the database; null if the table does not exist */
function faultsOf(
  { name, tableName, columns }: EntityMetadata,
  { name: module }: Type<object>,
  state: { columns: readonly string[] | null; isCovered: boolean },
): string[] {
  const userColumn = columns.find(({ databaseName }) => USER_ID.test(databaseName))?.databaseName;
  const missing = columns.filter(({ databaseName }) => state.columns?.includes(databaseName) === false);
  return [
    ...(state.columns === null
      ? [
          `${module} has no table ${tableName} for ${name}. Add the migration that creates it to migrations of its @Feature.`,
        ]
      : []),
    ...missing.map(
      ({ databaseName }) =>
        `${module} has no column ${databaseName} in the table ${tableName}. Add a migration that adds it to migrations ` +
        'of its @Feature.',
    ),
    ...(userColumn === undefined || state.isCovered
      ? []
      : [
          `${module} does not export or erase the table ${tableName}, which has users' ids in ${userColumn}. Register ${name} ` +
            'with PersonalDataRegistry in a provider, and add that to providers of its @Feature.',
        ]),
  ];
}
