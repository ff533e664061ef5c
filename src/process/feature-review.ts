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

/** The module, outside of the service, that has registered an entity. */
interface EntityOwner {
  module: Type<object>;
  file: string;
}

/**
 * Reports at start what modules from outside of the service have forgotten: definitions that they do not name, texts, tables
 * without a migration, and personal data that no export and no erasure would find. Everything else works without it, so
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
          const exists = await runner.hasTable(entity.tableName);
          this.report(faultsOf(entity, owner, { exists, isCovered: covered.includes(entity.target as Type<object>) }));
        }
      }
    } finally {
      await runner.release();
    }
  }

  private ownerOf({ target }: EntityMetadata): EntityOwner | undefined {
    if (typeof target !== 'function') {
      return undefined;
    }
    const token = getRepositoryToken(target);
    for (const { metatype, imports } of this.container.values()) {
      const file = this.own.has(metatype) ? undefined : fileOf(metatype);
      const registers = [...imports].some((one) => one.metatype === TypeOrmModule && one.providers.has(token));
      if (file !== undefined && registers) {
        return { module: metatype as Type<object>, file };
      }
    }
    return undefined;
  }

  private report(faults: readonly string[]): void {
    faults.forEach((fault) => this.logger.warn(fault));
  }
}

function faultsOf(
  { name, tableName, columns }: EntityMetadata,
  { module, file }: EntityOwner,
  { exists, isCovered }: { exists: boolean; isCovered: boolean },
): string[] {
  const column = columns.find(({ databaseName }) => USER_ID.test(databaseName))?.databaseName;
  return [
    ...(exists
      ? []
      : [
          `${module.name} has no table ${tableName} for ${name}. Add the migration that creates it to migrations in ${file}.`,
        ]),
    ...(column === undefined || isCovered
      ? []
      : [
          `${module.name} does not export or erase the table ${tableName}, which has users' ids in ${column}. Register ${name} ` +
            `with PersonalDataRegistry in a provider, and add that to providers in ${file}.`,
        ]),
  ];
}
