import { getMetadataStorage, type ValidatorOptions } from 'class-validator';

/** How objects are validated. Unknown fields are dropped. */
export const VALIDATOR_OPTIONS: ValidatorOptions = {
  whitelist: true,
  forbidUnknownValues: false,
  // The rules find the limits by the class of the object, so the validator need not read its members.
  validationError: { target: true },
};

type Storage = ReturnType<typeof getMetadataStorage>;
type Rules = ReturnType<Storage['getTargetValidationMetadatas']>;

const remembered = new WeakMap<object, Rules>();

/**
 * Looks up the rules of each class once. class-validator collects them for each object, and goes through the rules of
 * all classes to find those of parents, so each class of a feature would slow down all bodies.
 *
 * @borrowed validation-rules
 */
function rememberRules(storage: Storage): void {
  const find = storage.getTargetValidationMetadatas.bind(storage);
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) {
      return find(target, schema, always, strictGroups, groups);
    }
    let rules = remembered.get(target);
    if (rules === undefined) {
      rules = find(target, schema, always, strictGroups, groups);
      remembered.set(target, rules);
    }
    return rules;
  };
}

rememberRules(getMetadataStorage());
