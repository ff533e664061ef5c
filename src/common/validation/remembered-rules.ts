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
  const known = new WeakMap<object, Map<string, ReturnType<FindRules>>>();
  storage.getTargetValidationMetadatas = (type, schema, always, strictGroups, groups) => {
    if (always || strictGroups || groups) {
      return find(type, schema, always, strictGroups, groups);
    }
    const bySchema = known.get(type) ?? new Map<string, ReturnType<FindRules>>();
    known.set(type, bySchema);
    // The schema of a nested object is the name of the class that it is in.
    const rules = bySchema.get(schema) ?? find(type, schema, always, strictGroups, groups);
    bySchema.set(schema, rules);
    return rules;
  };
}
