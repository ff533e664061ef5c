import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { imageDetail } from '../../input/image-detail';
import { fileName, fileText, idText, itemText, textOr, typeText } from '../../input/item-text';

export const inputText = v.object({
  type: v.literal('input_text'),
  text: described(itemText, 'The text.', 'I travel with a child.'),
});

const inputImage = v.object({
  type: v.literal('input_image'),
  image_url: v.nullish(fileText),
  file_id: described(v.nullish(idText), 'Id of an uploaded file that you may read, instead of its content.'),
  detail: v.nullish(imageDetail, 'auto'),
});

const inputFile = v.object({
  type: v.literal('input_file'),
  filename: v.nullish(fileName),
  file_data: v.nullish(fileText),
  file_url: v.nullish(fileText),
  file_id: described(v.nullish(idText), 'Id of an uploaded file that you may read, instead of its content.'),
});

const outputText = v.object({ type: v.literal('output_text'), text: itemText });

const refusal = v.object({ type: v.literal('refusal'), refusal: itemText });

const anyContent = v.variant('type', [inputText, inputImage, inputFile]);

/** The content of a user message: text, images, files. */
export const responseUserContent = textOr(anyContent);

const KNOWN_PARTS: readonly string[] = ['input_text', 'input_image', 'input_file'];

/** A part of another API version. */
const otherContent = v.object({ type: v.pipe(typeText, v.notValues(KNOWN_PARTS)) });

/** The result of a call. The client may not control it, so unknown parts are omitted instead of refused. */
export const resultContent = textOr(v.variant('type', [inputText, inputImage, inputFile, otherContent]));

/** The content of a system message. */
export const instructionContent = textOr(inputText);

/** The content of an assistant message. */
export const assistantContent = textOr(v.variant('type', [outputText, refusal, inputText]));

export type InputPart = v.InferOutput<typeof anyContent>;
export type ResultPart = InputPart | v.InferOutput<typeof otherContent>;
export type AssistantPart = v.InferOutput<typeof outputText> | v.InferOutput<typeof refusal>;

export function isKnownPart(part: ResultPart): part is InputPart {
  return KNOWN_PARTS.includes(part.type);
}
