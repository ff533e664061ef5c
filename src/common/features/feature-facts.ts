import type { ModuleMetadata, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { AuditKind } from '../audit/audit-definition';
import type { ErrorDialect } from '../errors/error-dialect';
import type { EventKind } from '../events/event-definition';
import type { NamedSchema } from '../validation/schemas/named-schema';

/** The API of somebody else that a module speaks too. */
export interface OtherApi {
  /** With which the paths of its controllers begin instead of the global prefix; without slashes at its ends, such as `openai/v1`. */
  prefix: string;
  /** How its failures look. */
  errors: ErrorDialect;
}

/** One kind of mail. */
export interface MailKind {
  /** Its name in the queue; its texts lie under `mails.<kind>` of the module's locale files. */
  readonly kind: string;
  /** File of its Handlebars template, in the building blocks of `integrations/mail/templates`. */
  readonly template: string;
  /** Example of its values. Times are ISO 8601, because mails wait in the queue as JSON. */
  readonly example: object;
}

/** Lists of what modules declare, by the type of a member. */
export interface FactLists {
  /** APIs of others that the module speaks. */
  apis: OtherApi;
  /** Headers of responses that scripts in browsers may read (Access-Control-Expose-Headers). */
  exposes: string;
  /** Paths that are left out of the log of requests with all paths below them, because polling would fill it. */
  unlogged: string;
  /** Paths of requests that are never refused for overload: probes, and what ends work. */
  urgent: RegExp;
  /** What API keys may be allowed to do, as `@KeyScope` of its routes names it, such as `bookmarks`. */
  scopes: string;
  /** The same for what only keys of administrators may be allowed to do. */
  administrativeScopes: string;
  /** Its events (`defineEvent`). */
  events: EventKind;
  /** How the audit log shows its changes (`defineAudit`). */
  audits: AuditKind;
  /** Its mails (`defineMail`). */
  mails: MailKind;
  /** Schemas that have a name in the OpenAPI document (`namedSchema`, `namedAnswer`). */
  schemas: NamedSchema;
  /** Its part of the configuration: classes whose properties are environment variables with their defaults and rules. */
  configuration: Type<object>;
  /** Migrations of its tables, for modules that come in a package. TypeORM runs them in the order of the times in their names. */
  migrations: Type<MigrationInterface>;
}

/** What a module says about itself beside what Nest needs. */
export type FeatureFacts = { readonly [Name in keyof FactLists]?: readonly FactLists[Name][] } & {
  /** Folder of the module: `<folder>/locales/<language>.json` has its sentences. */
  readonly folder?: string;
  /** Its groups of routes (`@ApiTags`) with their descriptions, in the order of the documentation pages. */
  readonly groups?: Readonly<Record<string, string>>;
};

/** A Nest module, and what it says about itself. */
export type FeatureMetadata = ModuleMetadata & FeatureFacts;
