/** The page of the service itself to which browsers return. */
export const CONSOLE_PAGE = '/console';

/** Longest address that is stored until a browser returns, in characters. */
const LONGEST = 1_800;

/** Whether an operator may name the page. Mobile apps have their own schemes. */
export function isReturnAddress(address: string): boolean {
  if (address.length > LONGEST || /[?#]/.test(address) || !URL.canParse(address)) {
    return false;
  }
  const { protocol, username, password } = new URL(address);
  return (
    username === '' && password === '' && !['javascript:', 'data:', 'file:', 'blob:', 'vbscript:'].includes(protocol)
  );
}
