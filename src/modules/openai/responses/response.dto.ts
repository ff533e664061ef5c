/** The result of a deletion. */
export class DeletedResponseDto {
  /** The deleted response. @example "resp_2" */
  id: string;

  /** Always `response`. @example "response" */
  object: 'response';

  /** Always true. @example true */
  deleted: true;
}
