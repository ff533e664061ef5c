const ts = require('typescript');

/**
 * Walks from a function to all functions that a call of it can reach: over every branch, by what the compiler knows.
 *
 * Reached is what is called or named in a reached function, since a function that is passed on may be called:
 * - functions, methods and accessors, whether or not they belong to an object; functions within a function are part of it;
 * - of `new X`: the constructor, the first values of fields and what has a symbol as its name, of the ancestors too;
 * - of a class or interface that others extend: the member of each class that is made on the way or is a service. What Nest
 *   provides by `useClass` or `useExisting` is the only one then. `useFactory` and other packages are not followed;
 * - of a table of functions that is asked with a computed key: all of them.
 *
 * Not reached: types and decorators, so DTOs and entities only count where they have functions; plain constants and
 * settings; constructors of services, which run at the start; who listens to an event.
 */
class CallWalk {
  /** @param {ReturnType<typeof import('./source-program.js').sourceProgram>} source */
  constructor({ program, files }) {
    this.checker = program.getTypeChecker();
    this.files = new Set(files);
    /** Who extends or implements a class or interface, and what stands for it by the rules of Nest. */
    this.heirs = new Map();
    this.provided = new Map();
    files.forEach((file) => this.readClasses(file));
  }

  /**
   * @param {string[]} entries names like `ChatService.create`, or `createApp`
   * @param {Record<string, string | null>} adapters by the name of a port whose implementation the settings choose: the
   *   class that is followed; null for none
   * @returns {ts.SourceFile[]} the files of all reached functions
   */
  filesFrom(entries, adapters = {}) {
    this.adapters = adapters;
    this.reached = new Set();
    this.made = new Set();
    this.called = new Set();
    this.waiting = [];
    entries.forEach((entry) => this.reach(this.find(entry)));
    while (this.waiting.length > 0) this.walk(this.waiting.pop());
    return [...new Set([...this.reached].map((declaration) => declaration.getSourceFile()))];
  }

  readClasses(file) {
    const visit = (node) => {
      if (ts.isClassLike(node)) parentsOf(node).forEach((parent) => add(this.heirs, this.symbolAt(parent), node));
      if (ts.isObjectLiteralExpression(node)) this.readProvider(node);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }

  readProvider(node) {
    const valueOf = (name) => node.properties.find((property) => property.name?.getText() === name)?.initializer;
    const port = valueOf('provide');
    const provided = valueOf('useClass') ?? valueOf('useExisting');
    if (port && provided) add(this.provided, this.symbolAt(port), this.classAt(provided));
  }

  find(entry) {
    const [name, member] = entry.split('.');
    for (const { statements } of this.files) {
      const found = statements.find((statement) => statement.name?.text === name);
      const declaration = member ? found?.members?.find((other) => other.name?.getText() === member) : found;
      if (declaration) return declaration;
    }
    throw new Error(`There is no ${entry}`);
  }

  reach(declaration) {
    if (this.files.has(declaration.getSourceFile()) && !this.reached.has(declaration)) {
      this.reached.add(declaration);
      this.waiting.push(declaration);
    }
  }

  walk(declaration) {
    const visit = (node) => {
      if (ts.isDecorator(node) || ts.isTypeNode(node)) return;
      if (ts.isNewExpression(node)) this.make(this.classAt(node.expression));
      if (ts.isElementAccessExpression(node)) this.useTable(node);
      if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) this.use(node);
      ts.forEachChild(node, visit);
    };
    if (!ts.isClassLike(declaration)) ts.forEachChild(declaration, visit);
  }

  /** An object of the class is made. */
  make(made) {
    if (!made || !this.files.has(made.getSourceFile()) || this.made.has(made)) return;
    this.made.add(made);
    this.reach(made);
    made.members.filter(runsWhenMade).forEach((member) => this.reach(member));
    const parents = parentsOf(made).map((parent) => this.classAt(parent));
    parents.filter((parent) => parent).forEach((parent) => this.make(parent));
    this.called.forEach((member) => this.reachIn(made, member));
  }

  use(node) {
    if (node.parent.name === node && !ts.isPropertyAccessExpression(node.parent) && !isShorthand(node)) return;
    for (const declaration of this.symbolAt(node)?.declarations ?? []) {
      if (isMember(declaration)) this.call(declaration);
      else if (hasBody(declaration) || (isValue(declaration) && isFunction(declaration.initializer)))
        this.reach(declaration);
    }
  }

  /** `TABLE[key]()` */
  useTable(node) {
    const table = this.symbolAt(node.expression)?.valueDeclaration?.initializer;
    const members = table && ts.isObjectLiteralExpression(table) ? table.properties : [];
    for (const member of ts.isLiteralExpression(node.argumentExpression) ? [] : members) {
      if (hasBody(member) || isFunction(member.initializer)) this.reach(member);
      else if (member.initializer && ts.isIdentifier(member.initializer)) this.use(member.initializer);
      else if (member.name && isShorthand(member.name)) this.use(member.name);
    }
  }

  /** A member was called or read, whose object may be of a class that has its own. */
  call(member) {
    if (hasBody(member) || (member.initializer && runsOnRead(member.initializer))) this.reach(member);
    if (this.called.has(member) || !this.files.has(member.getSourceFile())) return;
    this.called.add(member);
    const owner = member.parent.name && this.symbolAt(member.parent.name);
    const adapter = this.adapters[owner?.name];
    const heirs = this.provided.get(owner) ?? this.heirsOf(owner);
    for (const heir of heirs) {
      const isThere = this.provided.has(owner) || this.made.has(heir) || ts.getDecorators(heir)?.length > 0;
      if (isThere || heir.name?.text === adapter) this.reachIn(heir, member);
    }
  }

  /** Reaches what stands for a called member in a class, if the member belongs to one of its ancestors. */
  reachIn(heir, member) {
    const owner = member.parent.name && this.symbolAt(member.parent.name);
    if (!owner || this.adapters[owner.name] === null || !this.heirsOf(owner).has(heir)) return;
    const property = this.checker.getTypeAtLocation(heir).getProperty(member.name.getText());
    for (const declaration of property?.declarations ?? []) {
      if (hasBody(declaration) || (declaration.initializer && runsOnRead(declaration.initializer)))
        this.reach(declaration);
    }
  }

  heirsOf(symbol, found = new Set()) {
    for (const heir of this.heirs.get(symbol) ?? []) {
      if (!found.has(heir)) this.heirsOf(heir.name && this.symbolAt(heir.name), found.add(heir));
    }
    return found;
  }

  symbolAt(node) {
    const symbol = isShorthand(node)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  classAt(node) {
    return this.symbolAt(node)?.declarations?.find(ts.isClassLike);
  }
}

const parentsOf = (node) => (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.expression));

const hasBody = (node) => node.body !== undefined && ts.isFunctionLike(node);

const isFunction = (node) => node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

const isValue = (node) => ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);

const isShorthand = (node) => ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;

/** Whether it is a member of a class or interface. A whole module, which a namespace stands for, is in nothing. */
const isMember = (node) =>
  node.parent !== undefined &&
  (ts.isClassLike(node.parent) || ts.isInterfaceDeclaration(node.parent)) &&
  (ts.isClassElement(node) || ts.isTypeElement(node));

/** Whether to make an object runs this member of its class. */
function runsWhenMade(member) {
  const isStatic = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static;
  const isNamedBySymbol = member.name !== undefined && ts.isComputedPropertyName(member.name);
  return !isStatic && (ts.isConstructorDeclaration(member) || member.initializer !== undefined || isNamedBySymbol);
}

/** Whether the first value of a field is a function, or an object of a class: to read the field leads there. */
function runsOnRead(initializer) {
  return (
    ts.isFunctionLike(initializer) || ts.isNewExpression(initializer) || !!ts.forEachChild(initializer, runsOnRead)
  );
}

function add(map, key, value) {
  if (key && value) map.set(key, new Set([...(map.get(key) ?? []), value]));
}

module.exports = { CallWalk };
