import { getMetadataStorage } from 'class-validator';

type Storage = ReturnType<typeof getMetadataStorage>;
type FindRules = Storage['getTargetValidationMetadatas'];

/**
 * Has class-validator look up the rules of a class once. By itself it goes through the rules of all classes for each object
 * that it checks, to find the inherited ones. Rules never change after their class is defined.
 */
export function rememberRules(): void {
  const storage = getMetadataStorage();
  const find: FindRules = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<object, ReturnType<FindRules>>();
  storage.getTargetValidationMetadatas = (type, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) {
      return find(type, schema, always, strictGroups, groups);
    }
    let rules = known.get(type);
    if (rules === undefined) {
      rules = find(type, schema, always, strictGroups, groups);
      known.set(type, rules);
    }
    return rules;
  };
}
