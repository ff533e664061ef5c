import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { imageDetail } from '../../input/image-detail';
import { fileName, fileText, idText, itemText, textOr } from '../../input/item-text';

export const inputText = v.object({
  type: v.literal('input_text'),
  text: described(itemText, 'The text.', 'I travel with a child.'),
});

const inputImage = v.object({
  type: v.literal('input_image'),
  image_url: v.nullish(fileText),
  file_id: v.nullish(idText),
  detail: v.nullish(imageDetail, 'auto'),
});

const inputFile = v.object({
  type: v.literal('input_file'),
  filename: v.nullish(fileName),
  file_data: v.nullish(fileText),
  file_url: v.nullish(fileText),
  file_id: v.nullish(idText),
});

const outputText = v.object({ type: v.literal('output_text'), text: itemText });

const refusal = v.object({ type: v.literal('refusal'), refusal: itemText });

const anyContent = v.variant('type', [inputText, inputImage, inputFile]);

/** What a user says: text, images, files. */
export const userContent = textOr(anyContent);

/** What stands in a system message. */
export const instructionContent = textOr(inputText);

/** What a model has said. */
export const assistantContent = textOr(v.variant('type', [outputText, refusal, inputText]));

export type InputPart = v.InferOutput<typeof anyContent>;
export type AssistantPart = v.InferOutput<typeof outputText> | v.InferOutput<typeof refusal>;
