import type { ForwardReference, ModuleMetadata, Type } from '@nestjs/common';
import { factsOf } from './feature.decorator';
import { FeatureError } from './feature.error';
import type { FactLists, FeatureFacts, FeaturePage } from './feature-facts';
import { routesOf } from './routes-of';

/** Anything that Nest accepts as an import of a module. */
export type ImportedModule = NonNullable<ModuleMetadata['imports']>[number];

/** Names in the order on which clients rely. Other names follow, in the order of the modules. */
export interface ShownOrder {
  groups: readonly string[];
  /** Subjects of events, which are the first words of their types. */
  events: readonly string[];
  exposes: readonly string[];
  scopes: readonly string[];
}

const NO_ORDER: ShownOrder = { groups: [], events: [], exposes: [], scopes: [] };

/** A declared fact, and the name of its module. */
interface Declared<Fact> {
  module: string;
  fact: Fact;
}

/**
 * The `@Feature` declarations of an application's modules. They are read from the list of modules before there is a
 * container, because the configuration is one of them.
 */
export class Features {
  private constructor(
    private readonly modules: readonly Declared<FeatureFacts>[],
    /** The classes of the modules. */
    readonly classes: ReadonlySet<unknown>,
    private readonly order: ShownOrder,
  ) {}

  /** @param modules in their listed order; their own imports follow them */
  static of(modules: readonly ImportedModule[], order: ShownOrder = NO_ORDER): Features {
    const found = new Map<object, Declared<FeatureFacts>>();
    for (let level = modules.map(classAndImports); level.length > 0;) {
      const added = level.filter(({ module }) => !found.has(module));
      for (const { module } of added) {
        found.set(module, { module: module.name, fact: factsOf(module) ?? {} });
      }
      level = added.flatMap(({ imports }) => imports.map(classAndImports));
    }
    return new Features([...found.values()], new Set(found.keys()), order);
  }

  /** All facts of one kind. */
  all<Name extends keyof FactLists>(name: Name): FactLists[Name][] {
    return this.declared(name).map(({ fact }) => fact);
  }

  /**
   * All facts of one kind, of which each name may exist once.
   *
   * @param what names the kind in the error message
   * @throws FeatureError that names the modules with the same name
   */
  unique<Name extends keyof FactLists>(
    name: Name,
    what: string,
    nameOf: (fact: FactLists[Name]) => string,
  ): FactLists[Name][] {
    assertUnique(this.declared(name), what, nameOf);
    return this.all(name);
  }

  /** The folders with messages. */
  folders(): Declared<string>[] {
    return this.modules.flatMap(({ module, fact: { folder } }) =>
      folder === undefined ? [] : [{ module, fact: folder }],
    );
  }

  /** The groups of routes in the order of the documentation pages. */
  groups(): { name: string; description: string }[] {
    const groups = this.modules.flatMap(({ fact }) =>
      Object.entries(fact.groups ?? {}).map(([name, description]) => ({ name, description })),
    );
    return sorted(groups, ({ name }) => name, this.order.groups);
  }

  /** The pages for the console. @throws FeatureError for a path that two modules declare, or with a slash at its end */
  pages(): FeaturePage[] {
    const declared = this.modules.flatMap(({ module, fact: { page } }) => (page ? [{ module, fact: page }] : []));
    assertUnique(declared, 'page', ({ path }) => path);
    for (const { module, fact } of declared) {
      // With another slash it would be served without the rules for a frame.
      if (/^\/|\/$|\/\//.test(fact.path)) {
        throw new FeatureError(`${module} names the page ${fact.path}. Write its path without slashes at its ends.`);
      }
    }
    return declared.map(({ fact }) => fact);
  }

  /** The routes of modules with a page, as patterns of paths without a slash at their start. */
  routesBehindPages(): RegExp[] {
    const classes = [...this.classes] as Type<unknown>[];
    const controllers = classes.flatMap((module) =>
      factsOf(module)?.page ? ((Reflect.getMetadata('controllers', module) ?? []) as Type<object>[]) : [],
    );
    return controllers.flatMap((controller) => routesOf(controller).map(({ segments }) => patternOf(segments)));
  }

  /** The events in the order of the catalogue. @throws FeatureError for a type that two modules define */
  events(): FactLists['events'][] {
    const events = this.unique('events', 'event', ({ type }) => type);
    return sorted(events, ({ type }) => type.split('.')[0] ?? type, this.order.events);
  }

  /** The headers that scripts in browsers may read, in the order in which they are sent. */
  exposedHeaders(): string[] {
    return sorted([...new Set(this.all('exposes'))], (name) => name, this.order.exposes);
  }

  /** The scopes of API keys in the order of their list. @throws FeatureError for a scope that two modules declare */
  scopes(): { name: string; isAdministrative: boolean }[] {
    const declared = [
      ...this.declared('scopes').map(({ module, fact: name }) => ({ module, fact: { name, isAdministrative: false } })),
      ...this.declared('administrativeScopes').map(({ module, fact: name }) => ({
        module,
        fact: { name, isAdministrative: true },
      })),
    ];
    assertUnique(declared, 'scope', ({ name }) => name);
    const scopes = declared.map(({ fact }) => fact);
    return sorted(scopes, ({ name }) => name, this.order.scopes);
  }

  private declared<Name extends keyof FactLists>(name: Name): Declared<FactLists[Name]>[] {
    return this.modules.flatMap(({ module, fact }) =>
      ((fact[name] ?? []) as FactLists[Name][]).map((one) => ({ module, fact: one })),
    );
  }
}

/** A parameter is one segment; a wildcard is the rest of the path. */
function patternOf(segments: readonly string[]): RegExp {
  const parts = segments.map((segment) =>
    /^[*{]/.test(segment) ? '.*' : segment.startsWith(':') ? '[^/]+' : segment.replace(/[.+?^$()[\]\\|]/g, '\\$&'),
  );
  return new RegExp(`^${parts.join('/')}/?$`, 'i');
}

function assertUnique<Fact>(declared: readonly Declared<Fact>[], what: string, nameOf: (fact: Fact) => string): void {
  const owners = new Map<string, string>();
  for (const { module, fact } of declared) {
    const own = nameOf(fact);
    const owner = owners.get(own);
    if (owner !== undefined) {
      throw new FeatureError(`${module} defines the ${what} ${own}, which ${owner} defines already. Rename it.`);
    }
    owners.set(own, module);
  }
}

/** The class of an imported module, and its own imports. */
function classAndImports(imported: ImportedModule): { module: Type<unknown>; imports: ImportedModule[] } {
  const definition =
    'forwardRef' in imported ? (imported as ForwardReference<() => Type<unknown>>).forwardRef() : imported;
  const { module, imports = [] } = 'module' in definition ? definition : { module: definition as Type<unknown> };
  return { module, imports: [...((Reflect.getMetadata('imports', module) ?? []) as ImportedModule[]), ...imports] };
}

/** A stable sort by position in the list of names. Names that are not in the list come last. */
function sorted<Fact>(facts: Fact[], nameOf: (fact: Fact) => string, names: readonly string[]): Fact[] {
  const placeOf = (fact: Fact): number => (names.includes(nameOf(fact)) ? names.indexOf(nameOf(fact)) : names.length);
  return facts.sort((one, other) => placeOf(one) - placeOf(other));
}
