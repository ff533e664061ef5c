import type { OpenAiErrorBody } from '../../src/modules/openai/errors/openai-error-body';
import type { Answer } from './http';

/** The required form of every error below /openai/v1, without internal details. */
export function expectOpenAiFailure(
  answer: Answer,
  status: number,
  code: string,
  param: string | null = null,
): OpenAiErrorBody['error'] {
  const { error } = answer.body as OpenAiErrorBody;
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error: { message: expect.stringMatching(/.\S$/), type: expect.any(String), param, code } },
  });
  // The message names a location like `param` does: `messages[0].content`.
  expect(error.message).not.toMatch(/\w\.\d+[.”]/);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).not.toMatch(/\{\{| at .*\.(js|ts):\d+|SQLITE_|\bER_[A-Z]+|SELECT |node_modules/);
  return error;
}
