import * as v from 'valibot';
import { imageDetail } from '../../input/image-detail';
import { itemText } from '../../input/item-text';

const inputText = v.object({ type: v.literal('input_text'), text: itemText });

const inputImage = v.object({
  type: v.literal('input_image'),
  image_url: v.nullish(v.string()),
  file_id: v.nullish(v.string()),
  detail: v.nullish(imageDetail, 'auto'),
});

const inputFile = v.object({
  type: v.literal('input_file'),
  filename: v.nullish(v.string()),
  file_data: v.nullish(v.string()),
  file_url: v.nullish(v.string()),
  file_id: v.nullish(v.string()),
});

const outputText = v.object({ type: v.literal('output_text'), text: itemText });

const refusal = v.object({ type: v.literal('refusal'), refusal: itemText });

const anyContent = v.variant('type', [inputText, inputImage, inputFile]);

/** What a user says: text, images, files. */
export const userContent = textOr(anyContent);

const KNOWN_PARTS: readonly string[] = ['input_text', 'input_image', 'input_file'];

/** Of another version. */
const otherContent = v.object({ type: v.pipe(v.string(), v.maxLength(64), v.notValues(KNOWN_PARTS)) });

/** What a call returned. Nobody chose it, so that parts which nobody here knows are left out. */
export const resultContent = textOr(v.variant('type', [inputText, inputImage, inputFile, otherContent]));

/** What stands in a system message. */
export const instructionContent = textOr(inputText);

/** What a model has said. */
export const assistantContent = textOr(v.variant('type', [outputText, refusal, inputText]));

export type InputPart = v.InferOutput<typeof anyContent>;
export type ResultPart = InputPart | v.InferOutput<typeof otherContent>;
export type AssistantPart = v.InferOutput<typeof outputText> | v.InferOutput<typeof refusal>;

/** A text, or a list of parts. */
function textOr<Part extends v.GenericSchema>(
  part: Part,
): v.UnionSchema<[typeof itemText, v.ArraySchema<Part, undefined>], undefined> {
  return v.union([itemText, v.array(part)]);
}

export function isKnownPart(part: ResultPart): part is InputPart {
  return KNOWN_PARTS.includes(part.type);
}
