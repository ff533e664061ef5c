/** Longest name of a model that is known here, in characters: our tables hold no more. */
export const LONGEST_MODEL_NAME = 191;
