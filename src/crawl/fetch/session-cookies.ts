// The cookies that a browser with this session would send along when somebody goes to a URL (RFC 6265, 5.4).

import type { Url } from '../../model/url/url.ts'
import type { BrowserSession, SessionCookie } from '../../platform/network/browser-session.ts'

/** The value of the header; undefined when none belongs there. */
export function cookieHeader(session: BrowserSession, url: Url, nowMs: number): string | undefined {
  const { protocol, hostname, pathname } = new URL(url.href)
  const sent = session.cookies.filter(
    (cookie) =>
      (cookie.expires < 0 || cookie.expires * 1_000 > nowMs) &&
      (!cookie.secure || protocol === 'https:' || isLocal(hostname)) &&
      isOfHost(cookie, hostname) &&
      isOfPath(cookie, pathname) &&
      isSendable(cookie),
  )
  if (sent.length === 0) return undefined
  // Longer paths first; sorting keeps the order otherwise.
  sent.sort((one, other) => other.path.length - one.path.length)
  return sent.map(({ name, value }) => `${name}=${value}`).join('; ')
}

function isOfHost({ domain }: SessionCookie, hostname: string): boolean {
  const name = domain.toLowerCase()
  if (!name.startsWith('.')) return name === hostname
  return hostname === name.slice(1) || (hostname.endsWith(name) && !/^[\d.]+$|^\[/.test(hostname))
}

function isOfPath({ path }: SessionCookie, pathname: string): boolean {
  if (path === pathname || !pathname.startsWith(path)) return path === pathname
  return path.endsWith('/') || pathname[path.length] === '/'
}

/** A header is one line. */
function isSendable({ name, value }: SessionCookie): boolean {
  return !/[^\x20-\x7e]/.test(name + value)
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}
