import type { ModuleMetadata, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { AuditKind } from '../audit/audit-definition';
import type { ErrorDialect } from '../errors/error-dialect';
import type { EventKind } from '../events/event-definition';
import type { NamedSchema } from '../validation/schemas/named-schema';

/** A third-party API that a module implements too. */
export interface OtherApi {
  /** The prefix of its controllers' paths instead of the global prefix; without outer slashes, such as `openai/v1`. */
  prefix: string;
  /** The form of its failures. */
  errors: ErrorDialect;
  /** A header in which its clients may send their credential instead of `Authorization`, in lower case. */
  keyHeader?: string;
  /** A header with the request's id in its responses, in addition to `X-Request-Id`. */
  requestIdHeader?: string;
  /** The start of further headers with the limit of requests: `-limit`, `-remaining`, `-reset` (RFC 3339). */
  limitHeaders?: string;
}

/** One kind of mail. */
export interface MailKind {
  /** Its name in the queue. Its texts are under `mails.<kind>` of the module's locale files. */
  readonly kind: string;
  /** File of its Handlebars template, in the building blocks of `integrations/mail/templates`. */
  readonly template: string;
  /** Example of its values. Times are ISO 8601, because mails wait in the queue as JSON. */
  readonly example: object;
}

/** A page of a module, which the console shows in a sandboxed frame. */
export interface FeaturePage {
  /** The key of its title in the module's locale files, such as `messages.bookmarks`. */
  readonly title: string;
  /**
   * The path of the page without `/api/v1`, such as `bookmarks/page`: a public route of the module that answers HTML.
   * Its scripts and styles are public routes below it.
   */
  readonly path: string;
  /** The name of an icon of the console, such as `tag`. It shows `file` for a name that it does not know. */
  readonly icon: string;
}

/** The facts that modules declare as lists, with the type of a member. */
export interface FactLists {
  /** Third-party APIs that the module implements. */
  apis: OtherApi;
  /** Headers of responses that scripts in browsers may read (Access-Control-Expose-Headers). */
  exposes: string;
  /** Paths that the request log leaves out with all paths below them, because polling would fill it. */
  unlogged: string;
  /** Paths of requests that are never refused for overload: probes, and requests that end work. */
  urgent: RegExp;
  /** The rights that API keys can have, as `@KeyScope` on its routes names them, such as `bookmarks`. */
  scopes: string;
  /** Rights that only the keys of administrators can have. */
  administrativeScopes: string;
  /** Its events (`defineEvent`). */
  events: EventKind;
  /** How the audit log shows its changes (`defineAudit`). */
  audits: AuditKind;
  /** Its mails (`defineMail`). */
  mails: MailKind;
  /** Schemas that have a name in the OpenAPI document (`namedSchema`, `namedAnswer`). */
  schemas: NamedSchema;
  /**
   * Its part of the configuration: classes whose properties are environment variables, with their defaults and rules.
   */
  configuration: Type<object>;
  /**
   * Migrations of its tables, for modules from a package. TypeORM runs them in the order of the timestamps in their
   * names.
   */
  migrations: Type<MigrationInterface>;
}

/** What a module declares in addition to Nest's own metadata. */
export type FeatureFacts = { readonly [Name in keyof FactLists]?: readonly FactLists[Name][] } & {
  /** Folder of the module: `<folder>/locales/<language>.json` has its messages. */
  readonly folder?: string;
  /** Its groups of routes (`@ApiTags`) with their descriptions, in the order of the documentation pages. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Its page in the console. The token of the page opens the routes of the module's own controllers. */
  readonly page?: FeaturePage;
};

/** A Nest module with its declared facts. */
export type FeatureMetadata = ModuleMetadata & FeatureFacts;
