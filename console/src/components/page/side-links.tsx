import type { JSX } from 'preact';
import { Link, useLocation } from 'wouter-preact';

/** Sidebar links of a group of pages. */
export function SideLinks({ links }: { links: { href: string; label: string }[] }): JSX.Element {
  const [path] = useLocation();
  return (
    <ul class="links">
      {links.map(({ href, label }) => (
        <li key={href}>
          <Link
            href={href}
            class="button quiet"
            aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
