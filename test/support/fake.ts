/**
 * A fake's function may accept narrower parameter types. TypeScript allows this for methods, but not for function
 * types.
 */
interface Method<Parameters extends unknown[], Result> {
  call(...parameters: Parameters): Result;
}

/** The part of a type that a test defines: some members, whose functions may return partial values too. */
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
 * Replaces a service of which a test needs a few members. Reading any other member fails, so that a test does not pass
 * because a value is undefined. Use the real object where it can be created.
 */
export function fake<Thing extends object>(members: Part<Thing> & object): Thing {
  const stand = new Proxy(members, {
    get(target, name): unknown {
      // `await` reads `then`, and Jest reads symbols.
      if (name in target || typeof name === 'symbol' || name === 'then') {
        return Reflect.get(target, name);
      }
      throw new Error(`The fake has no "${name}".`);
    },
  });
  return stand as unknown as Thing;
}
