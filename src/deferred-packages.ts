import { readdirSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/*
 * Packages load all of their code, whatever is used of it. `main.ts` imports this file before them. It puts a stand-in in
 * the place of each file that `lateFiles` names, and the stand-in loads the file when somebody uses something of it. A
 * file that is missing makes the start fail.
 */

const load = createRequire(__filename);

/** Files that the service needs late, for a few of their functions, or never. */
function lateFiles(): string[] {
  const validator = required(load.resolve('class-validator'), 'validator');
  const semver = required(required(load.resolve('@nestjs/jwt'), 'jsonwebtoken'), 'semver');
  return [
    validator,
    ...filesIn(join(dirname(validator), 'lib')),
    // Nobody validates telephone numbers.
    required(load.resolve('class-validator'), 'libphonenumber-js/max'),
    ...filesIn(join(dirname(load.resolve('rxjs')), 'internal')),
    // Drivers for all databases.
    ...filesIn(join(dirname(load.resolve('typeorm')), 'driver')),
    required(load.resolve('typeorm'), '@sqltools/formatter/lib/sqlFormatter'),
    // For sentences, mails and pages.
    load.resolve('handlebars'),
    // Asked once for the version of Node.
    ...filesIn(dirname(semver)).filter((file) => file !== semver),
    // Reads bodies of forms, which the service refuses.
    required(load.resolve('express'), 'qs'),
    // For the OpenAPI document, which is made when somebody asks for it.
    required(load.resolve('@nestjs/swagger'), './swagger-scanner'),
    required(load.resolve('@nestjs/swagger'), 'js-yaml'),
  ];
}

/** What the code in a file gets when it requires `name`. */
function required(file: string, name: string): string {
  return createRequire(file).resolve(name);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === '.js')
    .map((name) => join(folder, name));
}

function defer(file: string): void {
  const standIn = new Module(file);
  let loaded: object | undefined;
  const exported = (): object => loaded ?? loadNow();
  const loadNow = (): object => {
    if (load.cache[file] === standIn) {
      delete load.cache[file];
    }
    const found = load(file) as object;
    // While the file itself runs, others that it loads may ask for it: like Node, give them what it has so far.
    if (load.cache[file]?.loaded) {
      loaded = found;
    }
    return found;
  };
  standIn.filename = file;
  standIn.loaded = true;
  standIn.exports = new Proxy(() => undefined, {
    get: (_, name) => read(exported, name),
    apply: (_, self, values) => Reflect.apply(exported() as () => unknown, self, values) as unknown,
    construct: (_, values) => Reflect.construct(exported() as new () => object, values) as object,
    // For index files, which pass on what is in other files.
    ownKeys: () => Reflect.ownKeys(exported()),
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(exported(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
  load.cache[file] = standIn;
}

/** A compiled import asks at once for `__esModule`, and takes `default` when that is true. This must not load the file. */
function read(exported: () => object, name: string | symbol): unknown {
  if (name === '__esModule') {
    return true;
  }
  const value: unknown = Reflect.get(exported(), name);
  return name === 'default' ? (value ?? exported()) : value;
}

lateFiles().forEach(defer);
