/** What was deleted. */
export class DeletedResponseDto {
  /** @example "resp_2" */
  id: string;

  /** Always `response`. @example "response" */
  object: 'response';

  /** Always true. @example true */
  deleted: true;
}
