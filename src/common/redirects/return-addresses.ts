/** The page of the service itself that browsers come back to. */
export const CONSOLE_PAGE = '/console';

/** The longest that is stored until a browser comes back. */
const LONGEST = 1_800;

/** Whether an operator may name the page: programs of phones have schemes of their own. */
export function isReturnAddress(address: string): boolean {
  if (address.length > LONGEST || /[?#]/.test(address) || !URL.canParse(address)) {
    return false;
  }
  const { protocol, username, password } = new URL(address);
  return (
    username === '' && password === '' && !['javascript:', 'data:', 'file:', 'blob:', 'vbscript:'].includes(protocol)
  );
}
