import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Type } from '@nestjs/common';
import { ENVELOPED_METADATA } from '../envelope/enveloped.decorator';
import { ApiError, type ApiErrorClass } from '../errors/api-error';
import { documentedCodes } from '../errors/api-errors.decorator';
import { exampleOf } from '../errors/error-documentation';
import type { EventKind } from '../events/event-definition';
import { isTranslated } from '../i18n/translator';
import { loadPackage } from '../load-package';
import { factsOf, fileOf } from './feature.decorator';
import type { Features } from './features';

/**
 * Files in which a module defines what `@Feature` has to name. That of the module itself is not read: it may be the program, which
 * waits for the start.
 */
const DEFINITIONS = /\.(events|errors)\.\w+$|[/\\]migrations[/\\][^/\\]+$/;

/** Folders below that of the module which are searched: a module may be in the folder of a whole program, with its data. */
const DEEPEST = 2;

/** What a file of a module exports. */
interface Definition {
  file: string;
  name: string;
  value: unknown;
}

/**
 * What modules from outside of the service define and have forgotten to name: their events and migrations, and texts for their
 * errors, routes and page. It reads `*.events.js`, `*.errors.js` and `migrations/*.js` in the folder of each module and below.
 *
 * @param own the classes of the modules that belong to the service
 * @returns a sentence for each, with what to change. It names classes, because the running files are compiled ones.
 */
export async function forgottenDefinitions(features: Features, own: ReadonlySet<unknown>): Promise<string[]> {
  const seen = new Set([
    ...features.all('events').map(({ type }) => type),
    ...features.all('migrations').map(({ name }) => name),
  ]);
  const reports: string[] = [];
  for (const module of features.classes as ReadonlySet<Type<object>>) {
    const file = own.has(module) ? undefined : fileOf(module);
    if (file !== undefined) {
      const definitions = (await definitionsOf(file)).filter((definition) => !seen.has(keyOf(definition)));
      reports.push(...unnamed(module, definitions), ...untranslated(module, definitions));
      // Another module in the same folder does not report them again.
      definitions.forEach((definition) => seen.add(keyOf(definition)));
    }
  }
  return reports;
}

function unnamed({ name: module }: Type<object>, definitions: Definition[]): string[] {
  return definitions.flatMap(({ file, name, value }) => {
    const source = basename(file, extname(file));
    if (isEvent(value)) {
      return [`${module} does not name the event ${value.type}. Add ${name} of ${source} to events of its @Feature.`];
    }
    return isMigration(value)
      ? [`${module} does not name the migration ${name}. Add it, of ${source}, to migrations of its @Feature.`]
      : [];
  });
}

/** The errors that its files define and its routes document, and the messages of its routes and page, without a text. */
function untranslated(module: Type<object>, definitions: Definition[]): string[] {
  const controllers = (Reflect.getMetadata('controllers', module) ?? []) as Type<object>[];
  const { folder, page } = factsOf(module) ?? {};
  const keys = [
    ...definitions.flatMap(({ value }) => (isErrorClass(value) ? [messageKeyOf(value)] : [])),
    ...controllers.flatMap(documentedCodes).map((code) => `errors.${code}`),
    ...controllers.flatMap(messagesOf),
    ...(page?.title.startsWith('messages.') ? [page.title] : []),
  ];
  const naming = folder === undefined ? ', and name its folder as folder of its @Feature' : '';
  return [...new Set(keys)]
    .filter((key) => !isTranslated(key))
    .map((key) => `${module.name} has no text for ${key}. Add it to locales/en.json of the module${naming}.`);
}

/** The keys of the messages of a controller's routes. A function that chooses a key needs the data of a request. */
function messagesOf(controller: Type<object>): string[] {
  const prototype = controller.prototype as Record<string, object>;
  return [controller, ...Object.getOwnPropertyNames(prototype).map((name) => prototype[name] ?? {})]
    .map((place) => Reflect.getMetadata(ENVELOPED_METADATA, place) as unknown)
    .filter((key) => typeof key === 'string');
}

/** What the files with definitions of a module export. They are files of the same kind as that of the module. */
async function definitionsOf(moduleFile: string): Promise<Definition[]> {
  const definitions: Definition[] = [];
  for (const file of filesIn(dirname(moduleFile), DEEPEST)) {
    const isRead = file !== moduleFile && DEFINITIONS.test(file) && extname(file) === extname(moduleFile);
    // An imported CommonJS module has its exports in `default`, and under their names only where Node finds these.
    const { default: whole, ...exported } = isRead ? await load(file) : {};
    for (const [name, value] of Object.entries({ ...(whole as object | undefined), ...exported })) {
      definitions.push({ file, name, value });
    }
  }
  return definitions;
}

/** Jest runs CommonJS modules only with `require`. Node refuses to require an ES module that awaits, and older ones any. */
async function load(file: string): Promise<Record<string, unknown>> {
  try {
    return loadPackage(file) as Record<string, unknown>;
  } catch (error) {
    if (!/^ERR_REQUIRE_/.test((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
    return (await import(file)) as Record<string, unknown>;
  }
}

/** All files in a folder and below, without packages and hidden folders. */
function filesIn(folder: string, depth: number): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      return [path];
    }
    const isSearched = depth > 0 && entry.name !== 'node_modules' && !entry.name.startsWith('.');
    return isSearched ? filesIn(path, depth - 1) : [];
  });
}

/** The name that exists once: the type of an event, and that of a class. */
function keyOf({ name, value }: Definition): string {
  return isEvent(value) ? value.type : isMigration(value) ? (value as Type<object>).name : name;
}

function isEvent(value: unknown): value is EventKind {
  return typeof value === 'function' && 'type' in value && 'fields' in value && 'personal' in value;
}

function isMigration(value: unknown): boolean {
  const prototype = typeof value === 'function' ? (value.prototype as object | undefined) : undefined;
  return prototype !== undefined && 'up' in prototype && 'down' in prototype;
}

function isErrorClass(value: unknown): value is ApiErrorClass {
  return typeof value === 'function' && value.prototype instanceof ApiError && 'code' in value;
}

/** A class whose constructor needs arguments, and that has no example, is not asked. */
function messageKeyOf(error: ApiErrorClass): string {
  return error.length === 0 || 'example' in error ? exampleOf(error).messageKey : `errors.${error.code}`;
}
