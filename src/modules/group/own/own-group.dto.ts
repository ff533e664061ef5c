/** A group that the caller belongs to. */
export class OwnGroupDto {
  /** Id of the group. @example 3 */
  id: number;

  /** Name of the group. @example "Engineering" */
  name: string;
}
