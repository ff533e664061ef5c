import { useEffect, useState } from 'preact/hooks';

/** An address of these bytes in this page, for as long as the part of the page is there. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
}
