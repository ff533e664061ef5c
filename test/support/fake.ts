/** A function of a fake may be content with fewer kinds of parameters, which methods may, but not types of functions. */
interface Method<Parameters extends unknown[], Result> {
  call(...parameters: Parameters): Result;
}

/** What a test has to say of a thing: some members, whose functions may give as little. */
type Part<Thing> = Thing extends (...parameters: infer Parameters) => infer Result
  ? Method<Parameters, Part<Result>>['call']
  : Thing extends Promise<infer Value>
    ? Promise<Part<Value>>
    : Thing extends readonly (infer Element)[]
      ? readonly Part<Element>[]
      : Thing extends object
        ? { [Name in keyof Thing]?: Part<Thing[Name]> }
        : Thing;

/**
 * Stands in for a service of which a test needs a few members. Reading any other fails, so that a test does not pass because
 * something is undefined. Take the real thing where it can be made.
 */
export function fake<Thing extends object>(members: Part<Thing> & object): Thing {
  const stand = new Proxy(members, {
    get(target, name): unknown {
      // An `await` looks for `then`, and Jest for symbols.
      if (name in target || typeof name === 'symbol' || name === 'then') {
        return Reflect.get(target, name);
      }
      throw new Error(`The fake has no "${name}".`);
    },
  });
  return stand as unknown as Thing;
}
