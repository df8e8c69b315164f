// Session-free: a URL without the session id that a server put into it, if it has one.
//
// The same page under ever new ids is a trap; so of the URLs that differ in their session id alone, one is fetched.

const parameterPattern =
  /(?<=[?&])(?:jsessionid|phpsessid|sessionid|session_id|sessid|sid|s|aspsessionid[a-z]{8}|osCsid|zenid|cftoken|cfid)=([0-9a-z_.-]{8,128})(?:&|$)/gi
const pathPattern = /;(?:jsessionid|phpsessid|sid|sessionid)=[0-9a-z_.!-]{8,128}/i
const segmentPattern = /\/\((?:[a-z]\()?[0-9a-z]{24}\)?\)(?=\/)/i
const hint = /sess|sid=|[?&]s=|zenid|cfid|cftoken|\/\(/i

/** undefined when there is no session id in it. */
export function sessionFree(href: string): string | undefined {
  if (!hint.test(href)) return undefined
  const free = href
    .replace(parameterPattern, (whole, value: string) => (isId(value) ? '' : whole))
    .replace(pathPattern, '')
    .replace(segmentPattern, '')
  if (free === href) return undefined
  return free.replace(/[?&]$/, '')
}

/** Long, and of letters and digits mixed as chance does: `s=holidays-2024` is a search. */
function isId(value: string): boolean {
  return value.length >= 16 && /\d.*\d/.test(value) && !/[_.-].*[_.-]/.test(value)
}
