// Which pages can be archived: those that a web server gives.

/** Longer ones the archive refuses. */
const charsMax = 65_536

/** The address to archive, without the place within the page; or why there is none. */
export function archivable(url: string | undefined): { readonly href: string } | { readonly reason: string } {
  const parsed = url === undefined || url === '' ? null : URL.parse(url)
  if (parsed === null) return { reason: 'There is no page here that could be archived.' }
  if (parsed.protocol === 'file:')
    return { reason: 'This is a file on your disk; only pages of the web can be archived.' }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return { reason: 'This is a page of the browser itself; only pages of the web can be archived.' }
  if (parsed.username !== '' || parsed.password !== '')
    return { reason: 'This address has a password in it, which would be archived with it.' }
  parsed.hash = ''
  return parsed.href.length > charsMax
    ? { reason: 'This address is too long to be archived.' }
    : { href: parsed.href }
}
