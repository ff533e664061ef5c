/**
 * Watches `String.prototype.normalize`, whose time is quadratic in a run of marks.
 *
 * @returns the length of the longest run since then
 */
export function watchNormalizing(): () => number {
  let longest = 0;
  const { normalize } = String.prototype;
  jest.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form?: string) {
    for (const { 0: row } of this.matchAll(/[\p{M}\uff9e\uff9f]+/gu)) {
      longest = Math.max(longest, Array.from(row).length);
    }
    return normalize.call(this, form);
  });
  return () => longest;
}
